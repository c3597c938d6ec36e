//! Names that promise a secret: `DB_PASSWORD`, `"apiKey"`, `x-api-key`, `--client-secret`.
//!
//! A name is taken apart into words (`_`, `-`, `.`, camel case). What counts is the last word that carries meaning:
//! `password_hash`, `token_type` and `secret_name` name something else. How sure a name is decides how much its value
//! has to look like a secret ([`super::value`]).

use std::ops::Range;

use super::bytes::{at, before, ends_escape, is_word, run_end, slice};

/// How far a name reaches to either side of what was found, in bytes.
const MAX_REACH: usize = 64;

/// What a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    /// A password: the value may be a word that a person thought of.
    Password,
    /// A secret of some other kind: mostly random, sometimes thought of.
    Secret,
    /// A key or token: always drawn at random.
    Token,
    /// A password, secret or token with something after it that says which: only a random value counts.
    Qualified,
}

/// The whole identifier around a found part of it.
pub(super) fn extent(text: &[u8], found: Range<usize>) -> Range<usize> {
    let mut start = found.start;
    while start > 0 && found.start - start < MAX_REACH {
        let previous = before(text, start, 1);
        let belongs = is_word(previous) || matches!(previous, b'.' | b'-');
        if !belongs || ends_escape(text, start) {
            break;
        }
        start -= 1;
    }
    let mut end = run_end(text, found.end, MAX_REACH, |b| {
        is_word(b) || b == b'-' || b == b'.'
    });
    while end > found.end && matches!(before(text, end, 1), b'-' | b'.') {
        end -= 1;
    }
    start..end
}

/// The words of an identifier, in lower case.
pub(super) struct Words {
    lower: String,
    words: Vec<Range<usize>>,
}

impl Words {
    /// Takes `identifier` apart.
    pub(super) fn of(identifier: &[u8]) -> Self {
        let lower = String::from_utf8_lossy(identifier).to_ascii_lowercase();
        let mut words = Vec::new();
        let mut start = 0;
        for index in 0..identifier.len() {
            let byte = at(identifier, index);
            if !byte.is_ascii_alphanumeric() {
                push(&mut words, start..index);
                start = index + 1;
            } else if index > start && begins_camel_word(identifier, index) {
                push(&mut words, start..index);
                start = index;
            }
        }
        push(&mut words, start..identifier.len());
        Self { lower, words }
    }

    fn word(&self, index: usize) -> &str {
        let range = self.words.get(index).cloned().unwrap_or(0..0);
        self.lower.get(range).unwrap_or_default()
    }

    /// What the name promises, if anything. `previous` is the word that stands before it in prose (`API Key:`).
    pub(super) fn promise(&self, previous: &str) -> Option<Promise> {
        let mut count = self.words.len();
        while count > 1 && is_decoration(self.word(count - 1)) {
            count -= 1;
        }
        let last = count.checked_sub(1)?;
        let first = self.word(0);
        if matches!(
            first,
            "max"
                | "min"
                | "num"
                | "is"
                | "has"
                | "hashed"
                | "encrypted"
                | "masked"
                | "sealed"
                | "get"
        ) && count > 1
        {
            return None;
        }
        if (0..count).any(|i| {
            matches!(
                self.word(i),
                "public" | "pub" | "publishable" | "csrf" | "xsrf"
            )
        }) {
            return None;
        }
        let qualifier = |i: usize| if i == 0 { previous } else { self.word(i - 1) };
        if let Some(promise) = promise_of(self.word(last), qualifier(last)) {
            return Some(promise);
        }
        let named = (0..last)
            .rev()
            .find(|&i| promise_of(self.word(i), qualifier(i)).is_some())?;
        let about_itself = (named + 1..count).any(|i| names_something_else(self.word(i)));
        (!about_itself).then_some(Promise::Qualified)
    }
}

fn push(words: &mut Vec<Range<usize>>, word: Range<usize>) {
    if !word.is_empty() {
        words.push(word);
    }
}

/// Whether a word begins inside `apiKey` (small then capital) or `HTTPKey` (capital before a small one).
fn begins_camel_word(identifier: &[u8], index: usize) -> bool {
    let (previous, this, next) = (
        before(identifier, index, 1),
        at(identifier, index),
        at(identifier, index + 1),
    );
    this.is_ascii_uppercase()
        && (previous.is_ascii_lowercase()
            || previous.is_ascii_digit()
            || (previous.is_ascii_uppercase() && next.is_ascii_lowercase()))
}

/// The word before `start`, if only one space lies between: `API Key`, `client secret`.
pub(super) fn previous_word(text: &[u8], start: usize) -> String {
    if before(text, start, 1) != b' ' {
        return String::new();
    }
    let end = start - 1;
    let mut begin = end;
    while begin > 0 && end - begin < 16 && before(text, begin, 1).is_ascii_alphabetic() {
        begin -= 1;
    }
    String::from_utf8_lossy(slice(text, begin, end)).to_ascii_lowercase()
}

/// What one word promises, with the word before it.
fn promise_of(word: &str, qualifier: &str) -> Option<Promise> {
    match word.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "password" | "passwd" | "passwort" | "passphrase" | "passcode" | "pwd" | "pass" | "pw"
        | "psw" | "requirepass" | "masterauth" | "userpass" | "dbpass" | "rootpass"
        | "adminpass" | "smtppass" | "mailpass" | "storepass" | "keypass" | "sshpass"
        | "ldappass" | "ftppass" => Some(Promise::Password),
        "secret" | "credential" | "credentials" | "creds" | "pepper" => Some(Promise::Secret),
        "token" => (!is_token_of_something_else(qualifier)).then_some(Promise::Token),
        "jwt" | "bearer" | "auth" | "authorization" | "pat" | "apikey" | "accesskey"
        | "authkey" | "appkey" | "accountkey" | "sharedkey" | "masterkey" | "signingkey"
        | "encryptionkey" | "sessionkey" | "licensekey" | "servicekey" | "privatekey"
        | "deploykey" => Some(Promise::Token),
        "key" => is_secret_key(qualifier).then_some(Promise::Token),
        word if word.ends_with("password")
            || word.ends_with("passwd")
            || word.ends_with("passphrase") =>
        {
            Some(Promise::Password)
        }
        word if word.ends_with("secret") || word.ends_with("secretkey") => Some(Promise::Secret),
        word if word.ends_with("token")
            || word.ends_with("apikey")
            || word.ends_with("accesskey") =>
        {
            Some(Promise::Token)
        }
        _ => None,
    }
}

/// The words that make a `key` a secret one.
fn is_secret_key(qualifier: &str) -> bool {
    matches!(
        qualifier,
        "api"
            | "access"
            | "secret"
            | "private"
            | "client"
            | "auth"
            | "authentication"
            | "encryption"
            | "encrypt"
            | "encrypted"
            | "signing"
            | "sign"
            | "signature"
            | "account"
            | "shared"
            | "master"
            | "service"
            | "deploy"
            | "admin"
            | "license"
            | "licence"
            | "storage"
            | "app"
            | "application"
            | "hmac"
            | "jwt"
            | "aes"
            | "session"
            | "cookie"
            | "crypt"
            | "crypto"
            | "cipher"
            | "webhook"
            | "subscription"
            | "integration"
            | "consumer"
            | "merchant"
            | "server"
            | "ssh"
            | "developer"
            | "bot"
            | "ingest"
            | "ingestion"
            | "write"
            | "connection"
            | "function"
            | "host"
            | "project"
            | "team"
            | "org"
            | "user"
            | "token"
            | "decryption"
            | "apikey"
            | "rsa"
            | "security"
            | "personal"
            | "agent"
            | "sas"
            | "bearer"
            | "password"
    ) || qualifier.ends_with("api")
}

/// Tokens that are positions or symbols.
fn is_token_of_something_else(qualifier: &str) -> bool {
    matches!(
        qualifier,
        "next"
            | "page"
            | "continuation"
            | "sync"
            | "cancellation"
            | "cancel"
            | "start"
            | "end"
            | "stop"
            | "eos"
            | "bos"
            | "pad"
            | "padding"
            | "unk"
            | "mask"
            | "special"
            | "lexer"
            | "syntax"
            | "max"
            | "min"
            | "first"
            | "last"
            | "per"
            | "prev"
            | "previous"
            | "resume"
            | "cursor"
            | "marker"
            | "pagination"
            | "change"
            | "operator"
            | "design"
    )
}

/// Words at the end of a name that say nothing about what it is.
fn is_decoration(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit())
        || word.len() == 1
        || matches!(
            word,
            "value"
                | "val"
                | "string"
                | "str"
                | "base"
                | "base64"
                | "b64"
                | "data"
                | "plain"
                | "plaintext"
                | "cleartext"
                | "raw"
                | "default"
                | "prod"
                | "production"
                | "dev"
                | "test"
                | "staging"
                | "live"
                | "primary"
                | "secondary"
                | "main"
                | "old"
                | "new"
                | "current"
                | "backup"
                | "env"
                | "literal"
                | "text"
                | "confirm"
                | "confirmation"
        )
}

/// Words after a secret-like one that make the name one of something else.
fn names_something_else(word: &str) -> bool {
    matches!(
        word,
        "path"
            | "file"
            | "filename"
            | "dir"
            | "directory"
            | "folder"
            | "name"
            | "names"
            | "id"
            | "ids"
            | "uuid"
            | "url"
            | "uri"
            | "urls"
            | "endpoint"
            | "type"
            | "types"
            | "length"
            | "len"
            | "size"
            | "count"
            | "max"
            | "min"
            | "limit"
            | "limits"
            | "expires"
            | "expiry"
            | "expiration"
            | "expire"
            | "ttl"
            | "duration"
            | "hash"
            | "hashes"
            | "policy"
            | "field"
            | "fields"
            | "label"
            | "prompt"
            | "hint"
            | "reset"
            | "at"
            | "version"
            | "regex"
            | "pattern"
            | "public"
            | "format"
            | "algorithm"
            | "alg"
            | "enabled"
            | "disabled"
            | "required"
            | "var"
            | "ref"
            | "provider"
            | "manager"
            | "method"
            | "header"
            | "headers"
            | "param"
            | "params"
            | "placeholder"
            | "input"
            | "mode"
            | "kind"
            | "class"
            | "style"
            | "index"
            | "position"
            | "usage"
            | "hashed"
            | "digest"
            | "fingerprint"
            | "checksum"
            | "arn"
            | "issuer"
            | "audience"
            | "scope"
            | "scopes"
            | "store"
            | "service"
            | "handler"
            | "error"
            | "message"
            | "rotation"
            | "rotator"
            | "last"
            | "updated"
            | "created"
            | "date"
            | "time"
            | "timestamp"
            | "status"
            | "state"
            | "encoding"
            | "model"
            | "group"
            | "source"
            | "backend"
            | "location"
            | "bucket"
            | "server"
            | "host"
            | "port"
            | "user"
            | "username"
            | "email"
            | "suffix"
            | "prefix"
            | "separator"
            | "symbol"
            | "budget"
            | "estimate"
            | "ratio"
            | "rate"
            | "cost"
            | "total"
            | "used"
            | "remaining"
            | "stdin"
            | "accessor"
            | "credentials"
            | "credential"
            | "table"
            | "column"
            | "counter"
            | "number"
            | "stream"
            | "tree"
            | "list"
            | "set"
            | "map"
            | "cache"
            | "component"
            | "controller"
            | "secret"
            | "key"
            | "keys"
            | "plugin"
            | "module"
            | "package"
            | "org"
            | "html"
            | "css"
            | "js"
            | "json"
            | "svg"
    )
}
