//! The JSON Schema: printed in `docs/`, true of the good scenes, and as strict as the reader.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_printed_schema_is_that_of_the_types() {
    let path = root().join("docs/scene.schema.json");
    let expected = serde_json::to_string_pretty(&drystone_scene::schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let printed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        printed == expected,
        "docs/scene.schema.json is stale: \
         UPDATE_SCHEMA=1 cargo test -p drystone-scene --test schema renews it"
    );
}

#[test]
fn good_scenes_are_valid_and_mistakes_are_not() {
    let schema = drystone_scene::schema();
    for name in ["wall", "plane", "space"] {
        let path = root().join(format!("crates/scene/tests/good/{name}.toml"));
        let scene = json_of(&std::fs::read_to_string(path).unwrap());
        assert_eq!(faults(&schema, &schema, &scene, name), Vec::<String>::new());
    }
    for name in ["unknown_key", "wrong_type", "missing_keys", "law_ranges", "shape_choice", "wall"]
    {
        let path = root().join(format!("crates/scene/tests/bad/{name}.toml"));
        let scene = json_of(&std::fs::read_to_string(path).unwrap());
        assert!(!faults(&schema, &schema, &scene, name).is_empty(), "{name} is valid");
    }
}

/// A TOML document as JSON.
fn json_of(text: &str) -> Value {
    use toml::de::{DeTable, DeValue};
    fn convert(value: &DeValue) -> Value {
        match value {
            DeValue::String(text) => json!(text),
            DeValue::Integer(n) => json!(n.as_str().parse::<i64>().unwrap()),
            DeValue::Float(x) => json!(x.as_str().parse::<f64>().unwrap()),
            DeValue::Boolean(flag) => json!(flag),
            DeValue::Datetime(date) => json!(date.to_string()),
            DeValue::Array(list) => list.iter().map(|item| convert(item.get_ref())).collect(),
            DeValue::Table(table) => object(table),
        }
    }
    fn object(table: &DeTable) -> Value {
        let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue>)| {
            let key: &std::borrow::Cow<str> = key.get_ref();
            (key.to_string(), convert(value.get_ref()))
        };
        Value::Object(table.iter().map(entry).collect())
    }
    object(DeTable::parse(text).unwrap().get_ref())
}

/// What a value lacks to be valid. Knows the keywords that our schema uses, and refuses others.
fn faults(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fault = |condition: bool, what: &str| {
        if !condition {
            found.push(format!("{path}: {what}"));
        }
    };
    let number = value.as_f64().unwrap_or(0.0);
    let length = value.as_array().map_or(0, Vec::len) as f64;
    let keys = value.as_object().map_or(0, serde_json::Map::len) as f64;
    let mut inner = Vec::new();
    for (keyword, rule) in schema.as_object().unwrap() {
        let bound = rule.as_f64().unwrap_or(0.0);
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => {}
            "$ref" => {
                let target = root.pointer(&rule.as_str().unwrap()[1..]).unwrap();
                inner.extend(faults(root, target, value, path));
            }
            "type" => fault(has_type(value, rule.as_str().unwrap()), "wrong type"),
            "enum" => fault(rule.as_array().unwrap().contains(value), "not in the list"),
            "minimum" => fault(number >= bound, "too small"),
            "maximum" => fault(number <= bound, "too large"),
            "exclusiveMinimum" => fault(number > bound, "too small"),
            "exclusiveMaximum" => fault(number < bound, "too large"),
            "minLength" => fault(value.as_str().is_none_or(|s| !s.is_empty()), "empty"),
            "minItems" => fault(length >= bound, "too few items"),
            "maxItems" => fault(length <= bound, "too many items"),
            "minProperties" => fault(keys >= bound, "too few keys"),
            "maxProperties" => fault(keys <= bound, "too many keys"),
            "required" => {
                for key in rule.as_array().unwrap() {
                    fault(value.get(key.as_str().unwrap()).is_some(), &format!("no {key}"));
                }
            }
            "properties" => {
                for (key, item) in value.as_object().into_iter().flatten() {
                    match rule.get(key) {
                        Some(rule) => {
                            inner.extend(faults(root, rule, item, &format!("{path}.{key}")))
                        }
                        None => fault(false, &format!("unknown key {key}")),
                    }
                }
            }
            "additionalProperties" => assert_eq!(rule, &json!(false)),
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    inner.extend(faults(root, rule, item, path));
                }
            }
            "prefixItems" => {
                let rules = rule.as_array().unwrap();
                for (rule, item) in rules.iter().zip(value.as_array().into_iter().flatten()) {
                    inner.extend(faults(root, rule, item, path));
                }
            }
            "anyOf" => {
                let any = rule.as_array().unwrap().iter();
                let valid = any.clone().any(|rule| faults(root, rule, value, path).is_empty());
                fault(valid, "fits none");
            }
            other => panic!("unknown keyword {other}"),
        }
    }
    found.extend(inner);
    found
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        _ => false,
    }
}

#[test]
fn the_reference_page_names_every_key_and_its_first_scene_runs() {
    let page = std::fs::read_to_string(root().join("docs/scene-format.md")).unwrap();
    let schema = drystone_scene::schema();
    for (table, definition) in schema["$defs"].as_object().unwrap() {
        for key in definition["properties"].as_object().into_iter().flatten().map(|entry| entry.0) {
            let word = |c: char| !(c.is_alphanumeric() || c == '_');
            assert!(page.split(word).any(|w| w == key), "`{key}` of {table} is not on the page");
        }
    }
    let first = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let scene = drystone_scene::Scene::parse("first", first, None);
    let scene = scene.unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(scene.warnings.errors() + scene.warnings.warnings(), 0);
}
