//! How far a search looks, and where what it found stands (behaviour 2.16).

/// How far a search looks; each scope covers those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The active branch.
    CurrentBranch,
    /// Every branch of the session.
    CurrentSession,
    /// The session and those it was forked from.
    CurrentLineage,
    /// Every session of the project.
    Project,
}

impl Scope {
    /// Its name in the contract and in configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CurrentBranch => "current-branch",
            Self::CurrentSession => "current-session",
            Self::CurrentLineage => "current-lineage",
            Self::Project => "project",
        }
    }

    /// Whether it covers more than the session at hand.
    pub const fn covers_other_sessions(self) -> bool {
        matches!(self, Self::CurrentLineage | Self::Project)
    }
}

/// Where an entry that was found stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// On the active branch.
    Ancestor,
    /// In a session that this one was forked from, on the way to the fork.
    LineageAncestor,
    /// On another branch of the session, or of one that it was forked from.
    OtherBranch,
    /// In another session of the project.
    OtherSession,
}

impl Relation {
    /// Its name in the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ancestor => "ancestor",
            Self::LineageAncestor => "lineage-ancestor",
            Self::OtherBranch => "other-branch",
            Self::OtherSession => "other-session",
        }
    }
}
