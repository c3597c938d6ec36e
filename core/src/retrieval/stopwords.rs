//! Words of a question that say nothing, or little, about what it asks for.
//!
//! English and Italian as lists, folded. For other languages no list is needed: a word that stands in a large share of a
//! session's entries is common, whatever its language, and [`super::search`] treats it so. Runs of scripts without spaces are
//! pairs of characters and follow the same rule.

#[rustfmt::skip]
const STOPWORDS: &[&str] = &[
    "a", "abbiamo", "about", "after", "again", "against", "ai", "al", "all", "alla", "alle",
    "also", "altra", "altre", "altri", "altro", "am", "an", "anche", "ancora", "and", "any", "are",
    "as", "at", "avere", "aveva", "avevo", "be", "because", "been", "before", "being", "between",
    "both", "but", "by", "can", "che", "chi", "ci", "cio", "come", "con", "cosa", "cosi", "could",
    "d", "da", "dagli", "dai", "dal", "dalla", "dalle", "dallo", "degli", "dei", "del", "della",
    "delle", "dello", "di", "did", "do", "does", "doing", "don", "done", "dopo", "dove", "down",
    "during", "e", "each", "ecco", "ed", "egli", "ella", "era", "erano", "essere", "ever", "for",
    "fosse", "fra", "from", "gia", "gli", "ha", "had", "hai", "hanno", "has", "have", "having",
    "he", "her", "here", "him", "his", "ho", "how", "i", "if", "il", "in", "into", "io", "is",
    "it", "its", "just", "la", "le", "lei", "li", "ll", "lo", "loro", "lui", "m", "ma", "mai",
    "may", "me", "mentre", "mi", "mia", "might", "mio", "more", "most", "must", "my", "ne",
    "negli", "nei", "nel", "nella", "nelle", "nello", "no", "noi", "non", "not", "now", "o", "of",
    "off", "ogni", "on", "once", "only", "oppure", "or", "other", "our", "out", "over", "own",
    "per", "perche", "pero", "piu", "poco", "poi", "qua", "qualche", "qualcosa", "quale",
    "quali", "quando", "quanti", "quanto", "quella", "quelle", "quelli", "quello", "questa",
    "queste", "questi", "questo", "qui", "quindi", "re", "s", "same", "se", "sei", "sempre",
    "senza", "shall", "she", "should", "si", "siamo", "so", "some", "sono", "stata", "state",
    "stati", "stato", "sto", "su", "sua", "such", "sugli", "sui", "sul", "sulla", "sullo", "suo",
    "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "through", "ti", "to", "too", "tra", "tu", "tua", "tuo", "tutta", "tutte", "tutti", "tutto",
    "un", "una", "under", "uno", "until", "up", "us", "ve", "very", "vi", "voi", "was", "we",
    "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will",
    "with", "would", "you", "your",
];

/// Light verbs, words for quantity and time asked for, words for things in general, words about talking itself, and those that
/// people say to go on.
#[rustfmt::skip]
const WEAK: &[&str] = &[
    "ago", "andare", "anno", "ask", "asked", "bene", "chat", "chats", "chiesto", "continua",
    "continue", "conversation", "conversations", "conversazione", "cosa", "cose", "current",
    "currently", "data", "date", "day", "detto", "different", "dire", "discuss", "discussed",
    "discusso", "diversi", "diverso", "done", "fa", "fare", "fatto", "fine", "first", "get",
    "giorno", "go", "going", "got", "grazie", "great", "happen", "happened", "help", "kind",
    "know", "last", "like", "long", "lungo", "made", "make", "many", "mention", "mentioned",
    "mese", "modi", "modo", "molte", "molti", "molto", "month", "much", "name", "need", "needed",
    "new", "nome", "nope", "nuova", "nuovo", "often", "ok", "okay", "old", "parlare", "parlato",
    "particular", "perfetto", "please", "prego", "prendere", "preso", "prima", "primo", "procedi",
    "proceed", "recent", "recently", "said", "sapere", "say", "serve", "servire", "session",
    "sessione", "sessions", "settimana", "several", "sort", "specific", "spesso", "successo",
    "take", "talk", "talked", "tell", "tempo", "thank", "thanks", "thing", "things", "think",
    "time", "times", "tipo", "told", "took", "type", "ultima", "ultimo", "usare", "usato", "use",
    "used", "using", "vai", "various", "volere", "volta", "volte", "want", "wanted", "way", "ways",
    "week", "went", "yeah", "year", "yep", "yes",
];

/// Whether a folded word is never asked for.
pub fn is_stopword(word: &str) -> bool {
    STOPWORDS.binary_search(&word).is_ok()
}

/// Whether a folded word counts half.
pub fn is_weak(word: &str) -> bool {
    WEAK.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_folded() {
        for list in [STOPWORDS, WEAK] {
            assert!(list.is_sorted_by(|one, other| one < other));
            assert!(
                list.iter()
                    .all(|word| *word == super::super::words::fold(word))
            );
        }
    }

    #[test]
    fn words_of_both_languages_are_known() {
        assert!(is_stopword("which") && is_stopword("perche") && !is_stopword("budget"));
        assert!(is_weak("discussed") && is_weak("volta") && !is_weak("compaction"));
    }
}
