//! The server over real sockets: who is let in, what is refused and how, and answers that are the library's own.

mod running;

use clausality::bn::infer::{Evidence, Infer};
use clausality::bn::io::{Limits, bif};
use clausality::bn::sample;
use clausality_web::{Error, Explored, Server};
use running::{Running, embedded, explored};
use serde_json::{Value, json};
use std::net::TcpStream;

#[test]
fn the_token_is_swapped_for_a_cookie() {
    let server = Running::start(explored(embedded("asia")));
    let swapped = server.ask(&format!("GET /?token={}", server.token), &[], "");
    assert_eq!((swapped.status, swapped.header("location")), (303, Some("/")));
    let cookie = swapped.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", &format!("clausality-{}=", server.address.port())] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains(&server.token), "the cookie is a secret of its own");
    let pair = cookie.split(';').next().unwrap();
    let page = server.ask("GET /", &[&format!("Cookie: other=1; {pair}")], "");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<script type=\"module\" src=\"/app.js\">"));
    // Nobody gets in without, whatever the path or method.
    for line in
        ["GET /app.js", "GET /api/network", "POST /api/posteriors", "GET /nowhere", "OPTIONS /", "PUT /"]
    {
        let refused = server.ask(line, &[], "");
        assert_eq!(refused.status, 401, "{line}");
        assert!(refused.json()["error"].as_str().unwrap().contains("token"));
    }
    let wrong = "0".repeat(48);
    let (name, _) = pair.split_once('=').unwrap();
    for header in [
        format!("Cookie: {name}={wrong}"),
        format!("Cookie: {name}={}", server.token),
        format!("Authorization: Bearer {wrong}"),
        format!("Authorization: Basic {}", server.token),
        format!("Cookie: {name}="),
    ] {
        assert_eq!(server.ask("GET /api/network", &[&header], "").status, 401, "{header}");
    }
    for query in ["token=", "token=%30", &format!("token={wrong}"), &format!("tokens={}", server.token)] {
        assert_eq!(server.ask(&format!("GET /?{query}"), &[], "").status, 401, "{query}");
    }
    // Elsewhere the token in an address is nothing.
    assert_eq!(server.ask(&format!("GET /api/network?token={}", server.token), &[], "").status, 401);
    assert_eq!(server.ask(&format!("POST /?token={}", server.token), &[], "").status, 401);
}

#[test]
fn people_who_are_not_let_in_see_a_page() {
    let server = Running::start(explored(embedded("asia")));
    let foreign = "Origin: http://elsewhere.example";
    for (line, header, status) in
        [("GET /", "X: y", 401), ("GET /?token=0", "X: y", 401), ("GET /", foreign, 403)]
    {
        let refused = server.ask(line, &[header], "");
        assert_eq!(
            (refused.status, refused.header("content-type")),
            (status, Some("text/html; charset=utf-8"))
        );
        assert!(refused.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
        assert!(refused.body.contains("<code>clausality explore</code> printed"), "{refused:?}");
        assert!(!refused.body.contains("src=") && !refused.body.contains("href="), "it needs no other file");
    }
    let api = server.ask("GET /api/network", &[foreign], "");
    assert_eq!((api.status, api.json()["error"].is_string()), (403, true));
}

#[test]
fn the_token_of_the_opened_browser_serves_once() {
    let server = Running::start(explored(embedded("asia")));
    assert_ne!(server.once, server.token);
    let line = format!("GET /?token={}", server.once);
    assert_eq!(server.ask(&line, &[], "").status, 303);
    assert_eq!(server.ask(&line, &[], "").status, 401);
    assert_eq!(
        server.ask(&format!("GET /?token={}", server.token), &[], "").status,
        303,
        "the other one stays"
    );
}

#[test]
fn foreign_hosts_and_pages_are_refused() {
    let server = Running::start(explored(embedded("asia")));
    let (port, bearer) = (server.address.port(), server.bearer());
    for host in [
        "rebind.example",
        &format!("rebind.example:{port}"),
        &format!("127.0.0.1.rebind.example:{port}"),
        "127.0.0.1",
        "127.0.0.1:1",
        &format!("192.168.0.1:{port}"),
        &format!("localhost:{port}:{port}"),
        &format!("127.0.0.1:+{port}"),
        &format!("127.0.0.1:0{port}"),
        "",
    ] {
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "STRANGE"] {
            let request =
                format!("{method} / HTTP/1.1\r\nHost: {host}\r\n{bearer}\r\nConnection: close\r\n\r\n");
            assert_eq!(server.raw(&request).status, 403, "{method} to {host}");
        }
    }
    for start in [
        "GET / HTTP/1.0\r\n".to_string(),
        format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: rebind.example\r\n"),
        format!("GET http://rebind.example/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"),
    ] {
        assert_eq!(
            server.raw(&format!("{start}{bearer}\r\nConnection: close\r\n\r\n")).status,
            403,
            "{start}"
        );
    }
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}")] {
        let request = format!(
            "GET / HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{bearer}\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(server.raw(&request).status, 200, "{host}");
    }
    for header in [
        "Origin: http://rebind.example",
        "Origin: null",
        &format!("Origin: https://127.0.0.1:{port}"),
        "Origin: http://127.0.0.1:1",
        &format!("Origin: http://localhost:{port}"),
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ] {
        for line in ["GET /api/network", "POST /api/posteriors", "GET /", "OPTIONS /api/posteriors"] {
            assert_eq!(server.ask(line, &[&bearer, header], "").status, 403, "{line} {header}");
        }
    }
    for site in ["same-origin", "none"] {
        assert_eq!(server.ask("GET /", &[&bearer, &format!("Sec-Fetch-Site: {site}")], "").status, 200);
    }
}

#[test]
fn every_answer_carries_the_guards() {
    let server = Running::start(explored(embedded("asia")));
    let refused = server.ask("GET /", &[], "");
    for reply in [server.get("/"), server.get("/api/network"), server.get("/nowhere"), refused] {
        let policy = reply.header("content-security-policy").unwrap();
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
        assert!(reply.header("cache-control").is_some());
        assert!(reply.header("access-control-allow-origin").is_none());
    }
}

#[test]
fn methods_paths_and_sizes() {
    let server = Running::start(explored(embedded("asia")));
    for line in [
        "POST /",
        "PUT /api/network",
        "GET /api/posteriors",
        "DELETE /api/rows/1",
        "OPTIONS /api/network",
        "STRANGE /",
    ] {
        let refused = server.ask(line, &[&server.bearer()], "");
        assert_eq!(refused.status, 405, "{line}");
        assert!(refused.json()["error"].is_string());
    }
    for path in [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/page/app.js",
        "//etc/passwd",
        "/api/node/99",
        "/api/node/-1",
        "/api/node/x",
        "/api/rows/0",
        "/api/rows/6",
        "/api/rows/99999999999999999999",
        "/api/node/..%2f..%2fetc%2fpasswd",
    ] {
        let missing = server.get(path);
        assert_eq!(missing.status, 404, "{path}");
        assert!(missing.json()["error"].is_string(), "{path}");
    }
    assert_eq!(server.get(&format!("/{}", "a".repeat(100_000))).status / 100, 4);
    let large = "x".repeat((1 << 20) + 1);
    assert_eq!(server.post("/api/posteriors", "application/json", &large).status, 413);
    assert_eq!(server.post("/api/rows", "text/csv", &"x".repeat((8 << 20) + 1)).status, 413);
    let said = format!(
        "POST /api/posteriors HTTP/1.1\r\nHost: {}\r\n{}\r\nContent-Type: application/json\r\n\
                        Content-Length: 99999999999\r\nConnection: close\r\n\r\n",
        server.address,
        server.bearer()
    );
    assert_eq!(server.raw(&said).status, 413);
    assert_eq!(server.post("/api/posteriors", "text/plain", "{}").status, 415);
    for body in [
        "",
        "{",
        "3",
        "{\"evidence\":[]}",
        "{\"evidence\":{\"lung\":1}}",
        // Of two values one would be forgotten.
        "{\"evidence\":{\"lung\":\"yes\",\"lung\":\"no\"}}",
        "{\"do\":{\"lung\":\"yes\",\"lung\":\"yes\"}}",
        "{\"evidence\":{},\"evidence\":{}}",
        "{\"given\":{}}",
        "null",
        &format!("{}{}", "[".repeat(5000), "]".repeat(5000)),
    ] {
        assert_eq!(server.post("/api/posteriors", "application/json", body).status, 400, "{body:.40}");
    }
    assert_eq!(server.raw("nonsense\r\n\r\n").status, 400);
    // Two lengths, two readings of the same bytes.
    let (chunked, length) = ("Transfer-Encoding: chunked\r\n", "Content-Length: 2\r\n");
    for framing in [format!("{length}{chunked}"), format!("{chunked}{length}"), chunked.to_string()] {
        let request = format!(
            "POST /api/posteriors HTTP/1.1\r\nHost: {}\r\n{}\r\nContent-Type: application/json\r\n{framing}\r\n2\r\n{{}}\r\n0\r\n\r\n",
            server.address,
            server.bearer()
        );
        let refused = server.raw(&request);
        assert_eq!((refused.status, refused.header("connection")), (400, Some("close")), "{framing}");
    }
}

#[test]
fn unchanged_documents_are_not_sent_again() {
    let server = Running::start(explored(embedded("asia")));
    let first = server.get("/api/network");
    let tag = first.header("etag").unwrap();
    let again = server.ask("GET /api/network", &[&server.bearer(), &format!("If-None-Match: {tag}")], "");
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    assert_eq!(server.get("/api/network").body, first.body);
}

#[test]
fn answers_are_those_of_the_library() {
    let network = embedded("alarm");
    let server = Running::start(explored(network.clone()));
    let schema = network.schema();
    let (hr, cvp) = (schema.index("HR").unwrap(), schema.index("CVP").unwrap());
    let mut known = Evidence::new(&network);
    known.observe(hr, 2).unwrap();
    let mut done = known.clone();
    known.observe(cvp, 0).unwrap();
    done.intervene(cvp, 0).unwrap();
    let mut infer = Infer::new(network.clone());
    let labels = |node: usize, state: usize| schema.variable(node).states[state].clone();
    let answer = server
        .question(
            "/api/posteriors",
            &json!({"evidence": {"HR": labels(hr, 2)}, "do": {"CVP": labels(cvp, 0)}}),
        )
        .json();
    let (seen, done_found) = (infer.posteriors(&known).unwrap(), infer.posteriors(&done).unwrap());
    assert_eq!(answer["posteriors"], json!(done_found.probabilities));
    assert_eq!(answer["observed"], json!(seen.probabilities), "the same, had it only been seen");
    assert_eq!(answer["evidence_probability"], json!(done_found.evidence.value()));
    assert_eq!(answer["exact"], json!(true));
    let only = server
        .question("/api/posteriors", &json!({"evidence": {"HR": labels(hr, 2), "CVP": labels(cvp, 0)}}))
        .json();
    assert_eq!((&only["posteriors"], &only["observed"]), (&json!(seen.probabilities), &Value::Null));
    let nothing = infer.posteriors(&Evidence::new(&network)).unwrap();
    assert_eq!(server.get("/api/network").json()["posteriors"], json!(nothing.probabilities));
    let best = server
        .question("/api/explanation", &json!({"evidence": {"HR": labels(hr, 2), "CVP": labels(cvp, 0)}}))
        .json();
    let expected = infer.most_probable(&[], &known).unwrap();
    let states: Vec<u8> = expected.states.iter().map(|&(_, state)| state).collect();
    assert_eq!(
        (&best["states"], &best["probability"]),
        (&json!(states), &json!(expected.probability.value()))
    );
}

#[test]
fn impossible_evidence_is_said_plainly() {
    let server = Running::start(explored(embedded("asia")));
    for path in ["/api/posteriors", "/api/explanation"] {
        let refused = server.question(path, &json!({"evidence": {"either": "no", "lung": "yes"}}));
        assert_eq!(refused.status, 422);
        assert!(refused.json()["error"].as_str().unwrap().contains("cannot happen"), "{refused:?}");
    }
    for question in [
        json!({"evidence": {"lung": "maybe"}}),
        json!({"evidence": {"lnug": "yes"}}),
        json!({"evidence": {"lung": "yes"}, "do": {"lung": "yes"}}),
    ] {
        let refused = server.question("/api/posteriors", &question);
        assert_eq!(refused.status, 422, "{question}");
        assert!(refused.json()["error"].as_str().unwrap().contains("n"), "{refused:?}");
    }
    // The thread is still there.
    assert_eq!(server.question("/api/posteriors", &json!({})).status, 200);
}

#[test]
fn networks_too_wide_are_estimated() {
    let network = embedded("alarm");
    let exact = Infer::new(network.clone()).posteriors(&Evidence::new(&network)).unwrap().probabilities;
    let server = Running::start(Explored { memory_limit: 64, ..explored(network) });
    let found = server.question("/api/posteriors", &json!({})).json();
    assert_eq!((&found["exact"], &found["samples"]), (&json!(false), &json!(20_000)));
    for (node, row) in exact.iter().enumerate() {
        for (state, p) in row.iter().enumerate() {
            let [estimate, error] =
                ["posteriors", "standard_errors"].map(|key| found[key][node][state].as_f64().unwrap());
            assert!(
                (estimate - p).abs() < 5.0 * error + 1e-3,
                "node {node} state {state}: {estimate} ± {error}, exactly {p}"
            );
        }
    }
    let refused = server.question("/api/explanation", &json!({}));
    assert_eq!(refused.status, 422);
    assert!(refused.json()["error"].as_str().unwrap().contains("exact inference needs"));
}

#[test]
fn rows_come_as_codes() {
    let network = embedded("asia");
    let rows = sample(&network, 5, 1);
    let server = Running::start(explored(network.clone()));
    let third = server.get("/api/rows/3").json();
    let codes: Vec<u8> = (0..network.len()).map(|v| rows.column(v)[2]).collect();
    assert_eq!(third, json!({"number": 3, "count": 5, "states": codes}));
    let smoke = network.schema().index("smoke").unwrap();
    let lung = network.schema().index("lung").unwrap();
    let coded =
        server.post("/api/rows", "text/csv; charset=utf-8", "smoke,lung\nno,yes\nperhaps,no\n").json();
    assert_eq!((&coded["count"], &coded["unknown"]), (&json!(2), &json!({"smoke": 1})));
    assert_eq!(
        (&coded["rows"][0][smoke], &coded["rows"][1][smoke], &coded["rows"][1][lung]),
        (&json!(1), &Value::Null, &json!(1))
    );
    assert_eq!(coded["absent"].as_array().unwrap().len(), 6);
    for (text, part) in [
        ("", "the rows"),
        ("smoke\n", "row"),
        ("a,b\n1,2\n", "no column"),
        ("smoke,lung\nno,yes,no\n", "the rows:2:"),
        ("\u{1f}\u{8b}\u{8}junk", "column"),
    ] {
        let refused = server.post("/api/rows", "text/csv", text);
        assert_eq!(refused.status, 422, "{text}: {refused:?}");
        let why = refused.json()["error"].as_str().unwrap().to_string();
        assert!(why.contains(part), "{text}: {why}");
    }
}

#[test]
fn hostile_names_stay_text() {
    let names =
        ["<img src=x onerror=alert(1)>", "__proto__", "</script><script>alert(1)</script>", "a\"b'c`&amp;"];
    let mut text = String::new();
    for name in names {
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!(
            "variable \"{quoted}\" {{ type discrete [ 2 ] {{ \"<b>\", \"constructor\" }}; }}\n"
        ));
        text.push_str(&format!("probability ( \"{quoted}\" ) {{ table 0.25, 0.75; }}\n"));
    }
    let network = bif::read(text.as_bytes(), &Limits::default()).unwrap();
    let server = Running::start(explored(network));
    let document = server.get("/api/network");
    assert_eq!(document.header("content-type"), Some("application/json; charset=utf-8"));
    let found: Vec<String> = document.json()["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n["name"].as_str().unwrap().to_string())
        .collect();
    assert_eq!(found, names);
    let drawing = server.get("/drawing.svg").body;
    for raw in ["<img", "<script", "</script", "<b>"] {
        assert!(!drawing.contains(raw), "{raw}");
    }
    let answer = server
        .question("/api/posteriors", &json!({"evidence": {"__proto__": "<b>", names[0]: "constructor"}}))
        .json();
    assert_eq!(
        (&answer["posteriors"][0], &answer["posteriors"][1]),
        (&json!([0.0, 1.0]), &json!([1.0, 0.0]))
    );
    assert_eq!(answer["evidence_probability"], json!(0.25 * 0.75));
    let refused = server.question("/api/posteriors", &json!({"evidence": {"<script>": "x"}}));
    assert_eq!(refused.header("content-type"), Some("application/json; charset=utf-8"));
}

#[test]
fn the_page_names_nothing_from_elsewhere() {
    let server = Running::start(explored(embedded("asia")));
    let page = server.get("/").body;
    let mut files = vec![];
    for part in page.split(['"', '\'']).filter(|part| part.starts_with('/') && part.len() > 1) {
        files.push(part.to_string());
    }
    let mut seen = 0;
    while let Some(file) = files.get(seen).cloned() {
        seen += 1;
        let reply = server.get(&file);
        assert_eq!(reply.status, 200, "{file}");
        for from in reply.body.split("from './").skip(1) {
            let name = format!("/{}", from.split('\'').next().unwrap());
            if !files.contains(&name) {
                files.push(name);
            }
        }
        let foreign = reply.body.replace("http://www.w3.org/", "");
        assert!(!foreign.contains("://"), "{file} names another place");
        assert!(!reply.body.contains("innerHTML") && !reply.body.contains("eval("), "{file}");
    }
    assert!(seen > 15, "{files:?}");
    for inline in [" style=", " onclick=", "<style", "javascript:"] {
        assert!(!page.contains(inline), "{inline}");
    }
}

#[test]
fn a_taken_port_is_said() {
    let server = Running::start(explored(embedded("asia")));
    let port = server.address.port();
    match Server::bind(explored(embedded("asia")), "127.0.0.1", port) {
        Err(error @ Error::PortTaken { .. }) => {
            let text = error.to_string();
            assert!(
                text.contains(&port.to_string()) && text.contains("choose another") && !error.is_input(),
                "{text}"
            );
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        Server::bind(explored(embedded("asia")), "no.such.invalid", 0),
        Err(Error::Host { .. })
    ));
}

#[test]
fn a_stopped_server_lets_go_of_its_port() {
    let server = Running::start(explored(embedded("asia")));
    let address = server.address;
    // A connection that says nothing must not hold it.
    let idle = TcpStream::connect(address).unwrap();
    assert_eq!(server.get("/").status, 200);
    drop(server);
    assert!(TcpStream::connect(address).is_err());
    drop(idle);
}

/// Of many nodes those nearest to the target say first what all of them say later.
#[test]
fn the_nearest_nodes_of_a_target_come_first_where_that_is_asked() {
    let server = Running::start(explored(embedded("alarm")));
    let all = server.question("/api/informed", &json!({ "target": "BP" })).json();
    let near = server.question("/api/informed", &json!({ "target": "BP", "nearest": 3 })).json();
    let lines = |document: &Value| document["next"].as_array().unwrap().clone();
    assert_eq!((lines(&all).len(), lines(&near).len()), (36, 3));
    for line in lines(&near) {
        let whole = lines(&all).into_iter().find(|other| other["node"] == line["node"]).unwrap();
        let bits = |line: &Value| line["information"].as_f64().unwrap();
        assert!((bits(&line) - bits(&whole)).abs() < 1e-12, "{line} {whole}");
    }
    assert_eq!(server.question("/api/informed", &json!({ "target": "BP", "nearest": -1 })).status, 400);
}

/// Several states, and reports about a node, are what the library makes of them.
#[test]
fn several_states_and_reports_are_asked_by_name() {
    let network = embedded("alarm");
    let server = Running::start(explored(network.clone()));
    let index = |name: &str| network.schema().index(name).unwrap();
    let mut evidence = Evidence::new(&network);
    evidence.among(index("BP"), vec![1.0, 1.0, 0.0]).unwrap();
    evidence.likelihood(index("HR"), vec![1.0, 0.5, 0.0]).unwrap();
    let expected = Infer::new(network.clone()).posteriors(&evidence).unwrap();
    let question =
        json!({"evidence": {"BP": ["LOW", "NORMAL"]}, "likely": {"HR": {"LOW": 1, "NORMAL": 0.5}}});
    let found = server.question("/api/posteriors", &question).json();
    assert_eq!(found["posteriors"], json!(expected.probabilities));
    assert_eq!(found["evidence_probability"], json!(expected.evidence.value()));
    assert_eq!(
        server
            .question("/api/informed", &json!({"target": "CO", "evidence": {"BP": ["LOW", "HIGH"]}}))
            .status,
        200
    );
    for (question, status, part) in [
        (r#"{"evidence": {"BP": ["LOW", "<b>"]}}"#, 422, "<b>"),
        (r#"{"evidence": {"BP": []}}"#, 422, "likelihood 0"),
        (r#"{"evidence": {"nobody": ["LOW"]}}"#, 422, "nobody"),
        (r#"{"likely": {"BP": {"LOW": -1}}}"#, 422, "not negative"),
        (r#"{"likely": {"BP": {"LOW": 1}}, "do": {"BP": "LOW"}}"#, 422, "BP"),
        (r#"{"likely": {"BP": {"LOW": 1, "LOW": 0.5}}}"#, 400, "named twice"),
        (r#"{"likely": {"BP": {"LOW": "much"}}}"#, 400, "expected"),
        (r#"{"evidence": {"BP": {"LOW": 1}}}"#, 400, "a list of states"),
    ] {
        let refused = server.post("/api/posteriors", "application/json", question);
        assert_eq!(refused.status, status, "{question} {refused:?}");
        assert!(refused.json()["error"].as_str().unwrap().contains(part), "{question} {refused:?}");
    }
}
