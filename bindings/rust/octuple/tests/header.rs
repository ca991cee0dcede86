// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! Every declaration of src/ffi/sys.rs against the C headers: names, types, numbers.

use std::collections::BTreeMap;
use std::fs;

fn read(path: &str) -> String {
    fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn headers() -> String {
    ["aead", "quic", "status"].map(|name| read(&format!("../../../include/octuple/{name}.h"))).concat()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// "const uint8_t *nonce" to ("nonce", "*const u8"). A type that is not listed here is one to think about.
fn parameter(c: &str) -> (String, &'static str) {
    const TYPES: [(&str, &str); 13] = [
        ("const uint8_t *const []", "*const *const u8"),
        ("uint8_t [][OCT_QUIC_MASK_BYTES]", "*mut [u8; OCT_QUIC_MASK_BYTES]"),
        ("struct oct_aead_key **", "*mut *mut oct_aead_key"),
        ("struct oct_quic_header_key **", "*mut *mut oct_quic_header_key"),
        ("const struct oct_aead_key *", "*const oct_aead_key"),
        ("const struct oct_quic_header_key *", "*const oct_quic_header_key"),
        ("struct oct_aead_key *", "*mut oct_aead_key"),
        ("struct oct_quic_header_key *", "*mut oct_quic_header_key"),
        ("const uint8_t *", "*const u8"),
        ("const char *", "*const c_char"),
        ("uint8_t *", "*mut u8"),
        ("size_t ", "usize"),
        ("int ", "c_int"),
    ];
    let (declarator, array) = c.split_at(c.find('[').unwrap_or(c.len()));
    let (c_type, name) = declarator.split_at(declarator.rfind([' ', '*']).unwrap() + 1);
    let c_type = format!("{c_type}{array}");
    let found = TYPES.iter().find(|(known, _)| *known == c_type);
    (name.to_string(), found.unwrap_or_else(|| panic!("{c_type:?} has no counterpart")).1)
}

/// The prototype as Rust would declare it.
fn translated(prototype: &str) -> String {
    let (head, parameters) = prototype.trim_end_matches(')').split_once('(').unwrap();
    let head = head.trim_start_matches("OCT_API ").trim_start_matches("OCT_MUST_USE ");
    let (result, name) = head.split_at(head.find("oct_").unwrap());
    let parameters: Vec<String> = parameters
        .split(", ")
        .map(parameter)
        .map(|(name, rust)| format!("{}: {rust}", if name == "in" { "r#in" } else { &name }))
        .collect();
    let result = match result.trim() {
        "void" => "",
        "int" => " -> c_int",
        "size_t" => " -> usize",
        "const char *" => " -> *const c_char",
        other => panic!("{other:?} has no counterpart"),
    };
    format!("pub fn {name}({}){result}", parameters.join(", "))
}

/// name -> prototype
fn prototypes() -> BTreeMap<String, String> {
    let text = one_line(&headers());
    let of = |part: &str| part.split_once(';').unwrap().0.to_string();
    text.split("OCT_API ")
        .skip(1)
        .filter(|part| part.contains(';') && part.contains('('))
        .map(of)
        .map(|prototype| (prototype[prototype.find("oct_").unwrap()..].split('(').next().unwrap().into(), prototype))
        .collect()
}

#[test]
fn functions() {
    let (sys, prototypes) = (one_line(&read("src/ffi/sys.rs")), prototypes());
    let declared = sys.split_once("unsafe extern \"C\" {").unwrap().1.replace(", )", ")").replace("( ", "(");
    let mut count = 0;
    for part in declared.split("pub fn ").skip(1) {
        let declaration = part.rsplit_once(';').unwrap().0;
        let name = declaration.split('(').next().unwrap();
        assert_eq!(format!("pub fn {declaration}"), translated(&prototypes[name]));
        count += 1;
    }
    assert!(count >= 10, "only {count} declarations were read");
}

#[test]
fn constants() {
    let (sys, c) = (read("src/ffi/sys.rs"), one_line(&headers()));
    let mut count = 0;
    for line in sys.lines().filter_map(|line| line.strip_prefix("pub const ")) {
        let (name, rest) = line.split_once(": ").unwrap();
        let (_, value) = rest.trim_end_matches(';').split_once(" = ").unwrap();
        let as_enum = [",", " ", " }"].iter().any(|end| c.contains(&format!(" {name} = {value}{end}")));
        assert!(as_enum || c.contains(&format!("#define {name} {value} ")), "{name} is not {value} in the headers");
        count += 1;
    }
    assert!(count >= 8, "only {count} constants were read");
}
