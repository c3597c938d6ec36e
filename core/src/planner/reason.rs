//! Why a message is in a plan or not, and why a plan is none: closed sets with stable names.

/// Why a message is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyIn {
    /// The newest user message, or the newest exchange after it.
    Current,
    /// A `ds4:pin` label stands on its group.
    Pin,
    /// It belongs to the recent tail.
    Recent,
    /// It was kept against the tail's own limit, as the immediate predecessor.
    Rescued,
    /// It belongs to the condensed band.
    Condensed,
    /// The user message of a turn of which only newer exchanges fit.
    TurnHead,
    /// A summary of older messages.
    Summary,
}

impl WhyIn {
    /// The manifest's kind of item.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Pin => "pin",
            Self::Recent | Self::Rescued | Self::TurnHead => "recent",
            Self::Condensed => "condensed",
            Self::Summary => "summary",
        }
    }

    /// The reason's stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Current => "current-request",
            Self::Pin => "pinned",
            Self::Recent => "recent-tail",
            Self::Rescued => "rescued-immediate-predecessor",
            Self::Condensed => "condensed-band",
            Self::TurnHead => "turn-head",
            Self::Summary => "summary",
        }
    }

    /// The priority that a group's score begins with (behaviour 2.2).
    pub const fn priority(self) -> u32 {
        match self {
            Self::Current => 1_000,
            Self::Pin => 900,
            Self::Recent | Self::Rescued | Self::TurnHead => 100,
            Self::Condensed => 95,
            Self::Summary => 75,
        }
    }
}

/// The priority of what is left out: other history (behaviour 2.2).
pub const OTHER_HISTORY_PRIORITY: u32 = 40;

/// Why a message is out. The first ones are the budget's reasons (behaviour 2.3), the rest say that the message could
/// not have been sent whatever the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyOut {
    /// The recent tail would have become too long.
    RecentTailLimit,
    /// The input budget would have been exceeded.
    InputBudget,
    /// Both.
    RecentTailAndInputBudget,
    /// A newer exchange did not fit, so the tail had ended.
    RecentTailClosed,
    /// It stands before the first user message, and nothing brought it back.
    BackgroundWithoutRetrieval,
    /// Summaries had no room left.
    SummaryPolicyOrBudget,
    /// The condensed band has its share.
    CondensedBandLimit,
    /// It lies before the remembered cut, which stays so that the provider's prefix cache keeps working.
    BeforeStableCut,
    /// A tool result without its call.
    OrphanResult,
    /// A further result of a call that has one.
    SurplusResult,
    /// A call without a result, and nothing else in the message.
    UnansweredCall,
    /// The response was aborted or failed; agents do not send it.
    AbortedResponse,
    /// The result of a call in an aborted response.
    ResultOfAbortedResponse,
    /// Nothing in it that a model could read.
    EmptyMessage,
    /// The person kept it out of the context.
    ExcludedFromContext,
    /// Its role is not known.
    UnknownRole,
}

impl WhyOut {
    /// The reason's stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RecentTailLimit => "recent-tail-limit",
            Self::InputBudget => "input-budget",
            Self::RecentTailAndInputBudget => "recent-tail-and-input-budget",
            Self::RecentTailClosed => "recent-tail-closed",
            Self::BackgroundWithoutRetrieval => "background-without-retrieval",
            Self::SummaryPolicyOrBudget => "summary-policy-or-budget",
            Self::CondensedBandLimit => "condensed-band-limit",
            Self::BeforeStableCut => "before-stable-cut",
            Self::OrphanResult => "orphan-result",
            Self::SurplusResult => "surplus-result",
            Self::UnansweredCall => "unanswered-call",
            Self::AbortedResponse => "aborted-response",
            Self::ResultOfAbortedResponse => "result-of-aborted-response",
            Self::EmptyMessage => "empty-message",
            Self::ExcludedFromContext => "excluded-from-context",
            Self::UnknownRole => "unknown-role",
        }
    }

    /// Whether a larger budget could have included the message.
    pub const fn is_budget(self) -> bool {
        matches!(
            self,
            Self::RecentTailLimit
                | Self::InputBudget
                | Self::RecentTailAndInputBudget
                | Self::RecentTailClosed
                | Self::BackgroundWithoutRetrieval
                | Self::SummaryPolicyOrBudget
                | Self::CondensedBandLimit
                | Self::BeforeStableCut
        )
    }
}

/// Why the immediate predecessor was not rescued (behaviour 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rescue {
    /// It is not the immediate predecessor.
    NotImmediatePredecessor,
    /// `context.rescueImmediatePredecessor` is off.
    Disabled,
    /// The recent tail is.
    TailDisabled,
    /// It does not fit the input budget either.
    InputBudget,
}

impl Rescue {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotImmediatePredecessor => "not-immediate-predecessor",
            Self::Disabled => "disabled",
            Self::TailDisabled => "tail-disabled",
            Self::InputBudget => "input-budget",
        }
    }
}

/// Why the plan is the host's own context and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// The system prompt and the tools alone exceed the hard limit.
    FixedOverHardLimit,
    /// The pinned messages exceed `context.maxPinnedTokens`.
    PinsOverCap,
    /// The current request, its newest exchange and the pins do not fit, even after their results were cut.
    MandatoryOverLimit,
    /// A tool exchange would have been split.
    AtomicError,
    /// The newest user message is missing from the selection.
    CurrentUserNotSelected,
    /// The selection exceeds the hard limit.
    SelectionOverHardLimit,
    /// There is no message that could be sent.
    NoMessages,
}

impl Fallback {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FixedOverHardLimit => "fixed-over-hard-limit",
            Self::PinsOverCap => "pins-over-cap",
            Self::MandatoryOverLimit => "mandatory-over-limit",
            Self::AtomicError => "atomic-error",
            Self::CurrentUserNotSelected => "current-user-not-selected",
            Self::SelectionOverHardLimit => "selection-over-hard-limit",
            Self::NoMessages => "no-messages",
        }
    }
}
