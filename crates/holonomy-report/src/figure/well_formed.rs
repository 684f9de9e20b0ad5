//! A check for the tests: is this text XML as an SVG reader wants it?

/// Panics unless tags balance, attributes are quoted and every `&` starts an entity.
pub(crate) fn assert_well_formed(document: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = document;
    while let Some(start) = rest.find('<') {
        assert_text(&rest[..start]);
        let Some(length) = rest[start..].find('>') else {
            panic!("a tag does not end: {}", &rest[start..])
        };
        let tag = &rest[start + 1..start + length];
        rest = &rest[start + length + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closing tag");
            continue;
        }
        let body = tag.strip_suffix('/').unwrap_or(tag);
        let (name, attributes) = body.split_once(' ').unwrap_or((body, ""));
        assert!(
            name.chars().all(|character| character.is_ascii_alphabetic()),
            "element name {name:?}"
        );
        assert_attributes(attributes);
        if body.len() == tag.len() {
            open.push(name);
        }
    }
    assert_text(rest);
    assert!(open.is_empty(), "left open: {open:?}");
    assert!(document.starts_with("<svg ") && document.contains("<title>") && document.contains("<desc>"));
    assert!(
        !document.contains("NaN") && !document.contains("inf"),
        "a coordinate is not finite"
    );
}

fn assert_attributes(attributes: &str) {
    let pieces: Vec<&str> = attributes.split('"').collect();
    assert!(pieces.len() % 2 == 1, "quotes in {attributes:?}");
    for pair in pieces.chunks_exact(2) {
        let name = pair[0].trim().strip_suffix('=');
        assert!(
            name.is_some_and(|name| !name.is_empty() && !name.contains(' ')),
            "attribute {:?}",
            pair[0]
        );
        assert_text(pair[1]);
    }
}

fn assert_text(text: &str) {
    for (index, _) in text.match_indices('&') {
        let entity = ["&amp;", "&lt;", "&gt;", "&quot;"]
            .iter()
            .any(|entity| text[index..].starts_with(entity));
        assert!(entity, "a bare & in {text:?}");
    }
}
