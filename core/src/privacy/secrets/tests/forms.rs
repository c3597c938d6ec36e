//! One test for each form that is code: what is taken out, and what stays.

use super::{DETECTOR, Draw, assert_left_alone, assert_taken_out, redacted};
use crate::privacy::secrets::Replacement;

/// Each form with the secret in place of `§`.
#[track_caller]
fn all_taken_out(forms: &[&str], mut draw: impl FnMut() -> String) {
    for form in forms {
        let secret = draw();
        assert_taken_out(&form.replace('§', &secret), &secret);
    }
}

#[track_caller]
fn all_left_alone(texts: &[&str]) {
    for text in texts {
        assert_left_alone(text);
    }
}

#[test]
fn passwords_that_names_are_given() {
    let mut draw = Draw(1);
    let forms = [
        "DB_PASSWORD=§",
        "password: §",
        "\"password\": \"§\"",
        "password = '§'",
        "SMTP_PASS=\"§\"",
        "<password>§</password>",
        "{\"a\":\"{\\\"password\\\":\\\"§\\\"}\"}",
        "os.environ[\"DB_PASSWORD\"] = \"§\"",
        "define('DB_PASSWORD', '§');",
        "var password string = \"§\"",
        "let password: &str = \"§\";",
        "connect(password=\"§\")",
        "The new password is §",
        "Server=db;User Id=sa;Password=§;Encrypt=true",
        "helm --set auth.password=§ up",
        "login --password §",
        "setPassword(\"§\")",
    ];
    all_taken_out(&forms, || draw.password());
}

#[test]
fn tokens_that_names_are_given() {
    let mut draw = Draw(2);
    let forms = [
        "API_KEY=§",
        "api_key: §",
        "\"accessToken\": \"§\"",
        "token := `§`",
        "const key = { 'x-api-key': '§' };",
        "CLIENT_SECRET ?= \"§\"",
        "?api_key=§&page=2",
        "{\"x\":\"TOKEN=§\\nB=1\"}",
        "- name: API_TOKEN\n  value: \"§\"",
        "<add key=\"ApiKey\" value=\"§\" />",
        "variable \"api_token\" {\n  default = \"§\"\n}",
        "aws configure set aws_secret_access_key §",
        "token            §\nduration 1h",
        "process.env.API_TOKEN || \"§\"",
        "+  \"secret\": \"§\",",
        "api_token: |\n  §",
        "API Key: §",
        "token%3D§",
    ];
    all_taken_out(&forms, || draw.token(36));
}

#[test]
fn references_stay() {
    all_left_alone(&[
        "DB_PASSWORD=$DB_PASSWORD",
        "TOKEN=${TOKEN}",
        "GH_TOKEN=$(cat token)",
        "token: ${{ secrets.TOKEN }}",
        "password: {{ .Values.pw }}",
        "f\"Authorization: Bearer {key}\"",
        "password = os.environ[\"DB_PASSWORD\"]",
        "const t = process.env.API_TOKEN;",
        "api_key = settings.API_KEY or config.get(\"api_key\")",
        "self.password = password",
        "token: config.auth.token,",
        "password: Option<SecretString>",
        "String password = System.getenv(\"DB_PASSWORD\");",
        "\"Bearer \" + token",
    ]);
}

#[test]
fn names_of_other_things_stay() {
    all_left_alone(&[
        "MAX_TOKENS=4096",
        "CREDENTIAL_PATH=/etc/app/c.json",
        "token_type: Bearer2you",
        "PASSWORD_MIN_LENGTH = 12",
        "sk_bulk_insert(rows)",
        "primary_key = \"user_id2\"",
        "password_hash = bcrypt.hash(x)",
        "secretName: my-tls-2026",
        "public_key = \"9Cnzj4p4WGeKLs1Pt8QuK\"",
        "cache_key = f\"user:{id}\"",
        "key_size: 2048",
        "nextPageToken: \"CAUQAAgBEAB12xyz\"",
    ]);
}

#[test]
fn placeholders_stay() {
    all_left_alone(&[
        "API_KEY=<your-api-key>",
        "OPENAI_API_KEY=your_openai_key_here",
        "password: ********",
        "token = \"...\"",
        "password=changeme",
        "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "API_KEY=\nPORT=3000",
        "{\"token\": null, \"password\": \"\"}",
        "secret: xxxxxxxxxxxxxxxx",
        "token=[DS4 REDACTED TOKEN]",
        "password: [DS4 REDACTED SECRET]",
    ]);
}

#[test]
fn headers() {
    let mut draw = Draw(3);
    let forms = [
        "Authorization: Bearer §",
        "{\\\"Authorization\\\": \\\"Bearer §\\\"}",
        "authorization: token §",
        "Cookie: theme=dark; session=§; a=b",
        "Set-Cookie: sid=§; Path=/",
    ];
    all_taken_out(&forms, || draw.token(40));
    // Base64 of a name, a colon and a password.
    let basic = "c3ZjOkhhcmJvci1jYW5kbGU0MjE3";
    assert_eq!(
        redacted(&format!("Authorization: Basic {basic}")),
        "Authorization: Basic [DS4 REDACTED TOKEN]"
    );
    all_left_alone(&[
        "Authorization: Bearer <token>",
        "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        "WWW-Authenticate: Bearer realm=\"a\"",
        "Cookie: theme=dark; lang=en-US",
    ]);
}

#[test]
fn json_web_tokens() {
    let mut draw = Draw(4);
    let token = format!(
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{}",
        draw.token(43)
    );
    assert_eq!(
        redacted(&format!("seen {token} there")),
        "seen [DS4 REDACTED TOKEN] there"
    );
    all_left_alone(&[
        "eyebrow.eyelash.eyelid",
        "see eyJhbGciOiJIUzI1NiJ9 for the header",
    ]);
}

#[test]
fn addresses() {
    let mut draw = Draw(5);
    let forms = [
        "postgres://app:§@db:5432/app",
        "https://ci:§@git.example.org/r.git",
        "redis://:§@cache:6379",
        "\"mongodb://a:§@m\"",
    ];
    all_taken_out(&forms, || draw.token(15));
    let signed = [
        "https://b.example.net/c?sr=b&sig=§",
        "https://s3.example.com/k?X-Amz-Signature=§&X-Amz-Date=1",
    ];
    all_taken_out(&signed, || draw.hexadecimal(64));
    all_left_alone(&[
        "https://USER:PASSWORD@host/r.git",
        "postgres://user:password@localhost/db",
        "postgres://${U}:${P}@db",
        "redis://localhost:6379",
        "git@github.com:a/b.git",
    ]);
}

#[test]
fn command_lines() {
    let mut draw = Draw(6);
    let forms = [
        "mysql -u root -p§ -e 'show tables'",
        "sshpass -p '§' ssh a@b",
        "docker login -u ci -p § registry.example.org",
        "curl -u admin:§ https://x.example.org",
        "curl --user \"a:§\" https://x",
        "echo § | sudo -S ls",
        "echo 'bob:§' | chpasswd",
        "redis-cli -a § PING",
        "openssl enc -d -pass pass:§",
        "htpasswd -b f bob §",
        "{\"command\":\"curl -u \\\"a:§\\\" https://x\"}",
        "rabbitmqctl add_user bob §",
        "echo \"§\" | docker login --password-stdin",
    ];
    all_taken_out(&forms, || draw.token(15));
    all_left_alone(&[
        "mysql -u root -p app < dump.sql",
        "docker login -u ci --password-stdin < f",
        "curl -u \"$U:$P\" https://x",
        "curl -u <user:password> https://x",
        "echo $PASS | sudo -S ls",
        "ssh -p 2222 host",
        "mkdir -p a/b2c3",
        "docker run -p 8080:80 nginx",
    ]);
}

#[test]
fn calls_and_statements() {
    let mut draw = Draw(7);
    let forms = [
        "DriverManager.getConnection(url, \"app\", \"§\");",
        "requests.get(u, auth=(\"admin\", \"§\"))",
        "req.SetBasicAuth(\"ci\", \"§\")",
        "ALTER USER 'app'@'%' IDENTIFIED BY '§';",
        "CREATE USER app WITH PASSWORD '§';",
        "SET PASSWORD FOR 'a'@'%' = '§';",
        "ConvertTo-SecureString \"§\" -AsPlainText",
    ];
    all_taken_out(&forms, || draw.password());
    all_left_alone(&[
        "CREATE USER app IDENTIFIED BY :pw;",
        "auth=(user, password)",
        "getConnection(url, user, password)",
        "the bindings identified by [Id]s",
    ]);
}

#[test]
fn files_with_a_place_for_the_secret() {
    let mut draw = Draw(8);
    let forms = [
        "db.internal:5432:app:app_rw:§",
        "*:*:*:postgres:§",
        "machine h login ci password §",
        "//r.example.org/:_authToken=§",
        "requirepass §",
    ];
    all_taken_out(&forms, || draw.token(20));
    let value = "UmUwWGg3WTFla0RXT1ZzXw==";
    assert_taken_out(
        &format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  settings: {value}\n"
        ),
        value,
    );
    all_left_alone(&[
        "host:5432 is up",
        "apiVersion: v1\nkind: Secret\ndata:\n  htpasswd: ''\n",
        "kind: ConfigMap\ndata:\n  settings: UmUwWGg3WTFla0RXT1ZzXw==",
        "kind: ExternalSecret\nspec:\n  data:\n  - secretKey: api-key",
    ]);
}

#[test]
fn seed_phrases() {
    let phrase =
        "able about above absent absorb abstract absurd abuse access accident account accuse";
    assert_eq!(
        redacted(&format!("mnemonic: \"{phrase}\"")),
        "mnemonic: \"[DS4 REDACTED SECRET]\""
    );
    all_left_alone(&[
        "mnemonic: a phrase that helps to remember",
        "the seed phrase is kept in the vault and never shown to anyone else at all",
    ]);
}

#[test]
fn private_keys() {
    let mut draw = Draw(9);
    let body = draw.key_lines(3);
    let (begin, end) = (
        format!("-----BEGIN {} KEY-----", "RSA PRIVATE"),
        format!("-----END {} KEY-----", "RSA PRIVATE"),
    );
    let placeholder = Replacement::PrivateKey.placeholder();
    assert_eq!(
        redacted(&format!("a\n{begin}\n{body}\n{end}\nb")),
        format!("a\n{placeholder}\nb")
    );
    let escaped = format!("{begin}\\n{}\\n{end}\\n", body.replace('\n', "\\n"));
    assert_eq!(
        redacted(&format!("{{\"k\":\"{escaped}\"}}")),
        format!("{{\"k\":\"{placeholder}\\n\"}}")
    );
    assert_eq!(
        redacted(&format!("cut off:\n{begin}\n{body}")),
        format!("cut off:\n{placeholder}")
    );
    let pieces = format!(
        "\"{begin}\\n\" +\n\"{}\\n\" +\n\"{end}\"",
        body.replace('\n', "\\n\" +\n\"")
    );
    let redacted = redacted(&pieces);
    assert_eq!(redacted.matches(placeholder).count(), 3, "{redacted}");
    assert_eq!(redacted.matches('"').count(), pieces.matches('"').count());
    let certificate = format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----");
    all_left_alone(&[
        &certificate,
        &format!("if '{begin}' in text:"),
        &format!("{begin}\\n...\\n{end}"),
    ]);
    let putty = format!("Private-Lines: 2\n{}\nPrivate-MAC: 0", draw.key_lines(2));
    assert_eq!(
        super::redacted(&putty),
        format!("Private-Lines: 2\n{placeholder}\nPrivate-MAC: 0")
    );
}

#[test]
fn a_span_ends_where_the_secret_does() {
    let mut draw = Draw(10);
    let token = draw.token(32);
    let text = format!("é = 1; api_key = \"{token}\"; // ü");
    let found = DETECTOR.find(&text);
    let start = text.find(&token).unwrap();
    assert_eq!(
        found.iter().map(|r| (r.start, r.end)).collect::<Vec<_>>(),
        [(start, start + 32)]
    );
    assert_eq!(&*found[0].rule, "assigned-secret");
}
