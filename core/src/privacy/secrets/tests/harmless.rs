//! Texts of every day that look like secrets to a careless eye.

use super::{Draw, assert_left_alone};

#[test]
fn hashes_and_identifiers() {
    let mut draw = Draw(21);
    let (sha1, sha256) = (draw.hexadecimal(40), draw.hexadecimal(64));
    for text in [
        format!("commit {sha1}\nAuthor: Ada <ada@example.org>"),
        format!("sha256:{sha256}: Pull complete"),
        format!("{sha256}  release.tar.gz"),
        format!("\"integrity\": \"sha512-{}==\"", draw.token(86)),
        format!("github.com/pkg/errors v0.9.1 h1:{}=", draw.token(43)),
        format!(
            "request_id=aefec4cd-319b-4e75-a7fa-11c2574b60c1 trace_id={}",
            draw.hexadecimal(32)
        ),
        format!(
            "{{\"type\":\"tool_use\",\"id\":\"toolu_{}\"}}",
            draw.token(24)
        ),
        format!("{{\"toolCallId\":\"call_{}\"}}", draw.token(24)),
        format!(
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{} dev@laptop",
            draw.token(44)
        ),
        format!(
            "<img src=\"data:image/png;base64,iVBORw0KGgo{}\">",
            draw.token(200)
        ),
        format!("background: url(icons/ico-{}.png)", draw.hexadecimal(32)),
    ] {
        assert_left_alone(&text);
    }
}

#[test]
fn prose_and_code() {
    for text in [
        "The password must be at least 12 characters and the token expires after 15 minutes.",
        "Used 52341 of 200000 tokens (26 %), 81.2 tokens/s",
        "test auth::tests::password_reset_token_expires ... ok",
        "error[E0425]: cannot find value `api_key` in this scope",
        "The secret: keep functions short and name things well.",
        "To create `None`, pass `T::reserved_value()`. Pass `--http-timeout=milliseconds2` to it.",
        "def export(\n    self,\n    passphrase: Optional[bytes] = None,\n    password: typing.Optional[X2],\n)",
        "key_names = [\"password\", \"secret\", \"token\", \"api_key\"]",
        "TokenKind::Identifier => self.advance_token(),",
        "if [ -z \"$GITHUB_TOKEN\" ]; then echo \"GITHUB_TOKEN is not set\"; exit 1; fi",
        "PATTERNS = [r\"sk-[A-Za-z0-9]{20,}\", r\"(?i)password\\s*[:=]\\s*\\S+\"]",
        "kpasswd\t\t464/tcp\nkpasswd\t\t464/udp",
        "[debug] org.slf4j.slf4j-api:jar:1.7.8.:compile",
    ] {
        assert_left_alone(text);
    }
}
