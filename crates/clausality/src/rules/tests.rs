use super::*;
use clausality_bn::Variable;

fn schema() -> Schema {
    Schema::new(["Age", "Sex", "Smokes", "Cancer"].map(|n| Variable::new(n, ["no", "yes"])).to_vec()).unwrap()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| n.to_string()).collect()
}

fn arcs(arcs: &[&str]) -> Vec<NamedArc> {
    arcs.iter().map(|a| a.parse().unwrap()).collect()
}

#[test]
fn says_why_an_arc_may_not_be() {
    let params = RuleSettings {
        parameter: names(&["Age"]),
        forbid: arcs(&["Sex>Cancer"]),
        tiers: vec![names(&["Smokes"]), names(&["Cancer"])],
        require: arcs(&["Age>Smokes"]),
        ..RuleSettings::default()
    };
    let rules = Rules::new(&schema(), &params).unwrap();
    let (age, sex, smokes, cancer) = (0, 1, 2, 3);
    assert_eq!(rules.refusal(sex, sex), Some(Refusal::Loop));
    assert_eq!(rules.refusal(sex, age), Some(Refusal::IntoParameter));
    assert_eq!(rules.refusal(sex, cancer), Some(Refusal::Forbidden));
    assert_eq!(rules.refusal(cancer, smokes), Some(Refusal::AgainstTiers));
    assert!(rules.allows(age, smokes) && rules.allows(smokes, cancer) && rules.allows(cancer, sex));
}

/// Age and Sex stand for two calendar parts that meet in Smokes.
#[test]
fn nothing_follows_from_what_the_calendar_directs() {
    let (month, weekday, smokes, cancer) = (0, 1, 2, 3);
    let dag = Dag::from_arcs(4, [(month, smokes), (weekday, smokes), (smokes, cancer)]).unwrap();
    let mut rules = Rules::none(4);
    assert!(rules.directions(&dag).by_data(smokes, cancer), "a collider that the data chose directs it");
    (rules.roles[month], rules.roles[weekday]) = (Role::Calendar, Role::Calendar);
    assert_eq!(rules.refusal(smokes, month), Some(Refusal::IntoCalendar));
    assert!(rules.allows(weekday, month) && rules.allows(month, weekday));
    let found = rules.directions(&dag);
    assert!(found.by_calendar(month, smokes) && !found.by_rules(month, smokes));
    assert!(!found.settled(smokes, cancer) && !found.by_data(month, smokes));
    // Nor from one calendar part that meets another column: free, that arc might run the other way.
    rules.roles[weekday] = Role::Observed;
    let found = rules.directions(&dag);
    assert!(found.by_calendar(month, smokes));
    assert!(!found.settled(weekday, smokes) && !found.settled(smokes, cancer));
    // The user's word directs it, and what is behind it.
    let asked = RuleSettings { parameter: names(&["Age", "Sex"]), ..RuleSettings::default() };
    let rules = Rules::new(&schema(), &asked).unwrap();
    let found = rules.directions(&dag);
    assert!(
        found.by_rules(month, smokes) && found.by_rules(smokes, cancer) && !found.by_data(smokes, cancer)
    );
}

#[test]
fn names_may_hold_the_sign_between_them() {
    let named = |names: &[&str]| {
        Schema::new(names.iter().map(|n| Variable::new(*n, ["no", "yes"])).collect()).unwrap()
    };
    let params = RuleSettings { require: arcs(&["a>b>c"]), ..RuleSettings::default() };
    let rules = Rules::new(&named(&["a>b", "c", "a"]), &params).unwrap();
    assert!(rules.required().has(0, 1));
    let rules = Rules::new(&named(&["a", "b>c"]), &params).unwrap();
    assert!(rules.required().has(0, 1));
    let error = Rules::new(&named(&["a", "b>c", "a>b", "c"]), &params).unwrap_err();
    let text = "require a>b>c: this is 'a' > 'b>c' or 'a>b' > 'c'; rename one of the columns";
    assert_eq!(error.to_string(), text);
    assert!(Rules::new(&named(&["a", "b", "c"]), &params).is_err());
}

#[test]
fn refuses_contradictions_by_name() {
    let refused = |params: RuleSettings| Rules::new(&schema(), &params).unwrap_err().to_string();
    let base = RuleSettings::default;
    let text = refused(RuleSettings { parameter: names(&["Agee"]), ..base() });
    assert_eq!(text, "parameter: there is no column 'Agee'; did you mean 'Age'?");
    let text = refused(RuleSettings { parameter: names(&["Age"]), unobserved: names(&["Age"]), ..base() });
    assert_eq!(text, "column 'Age' is both parameter and unobserved: give it one role");
    let text = refused(RuleSettings { parameter: names(&["Age", "Sex", "Smokes", "Cancer"]), ..base() });
    assert!(text.starts_with("all 4 columns are parameters"), "{text}");
    let text = refused(RuleSettings { tiers: vec![names(&["Age"]), names(&["Age"])], ..base() });
    assert_eq!(text, "tiers: column 'Age' stands in two tiers: name it in one");
    let text = refused(RuleSettings { require: arcs(&["Sex>Age"]), parameter: names(&["Age"]), ..base() });
    assert_eq!(text, "require Sex>Age: contradicts the rules, nothing points into a parameter");
    let text = refused(RuleSettings { require: arcs(&["Sex>Age"]), forbid: arcs(&["Sex>Age"]), ..base() });
    assert_eq!(text, "require Sex>Age: contradicts the rules, the arc is forbidden");
    let text = refused(RuleSettings { require: arcs(&["Sex>Age", "Age>Smokes", "Smokes>Sex"]), ..base() });
    assert_eq!(text, "require: the required arcs form a cycle: Smokes > Sex > Age > Smokes");
    let text =
        refused(RuleSettings { require: arcs(&["Sex>Age", "Smokes>Age"]), max_parents: Some(1), ..base() });
    assert_eq!(text, "require: 'Age' has 2 required parents, but max-parents is 1");
    for text in ["Age>Sex", "Age -> Sex", "Age->Sex", "Age → Sex", "Age→Sex", " Age > Sex "] {
        let arc: NamedArc = text.parse().unwrap();
        assert_eq!((arc.parent.as_str(), arc.child.as_str()), ("Age", "Sex"), "{text}");
    }
    for (text, parent, child) in [
        ("x-y->z", "x-y", "z"),
        ("x- > z", "x-", "z"),
        ("x-->z", "x-", "z"),
        ("x->z", "x-", "z"),
        ("a>b -> z", "a>b", "z"),
        ("z -> p→q", "z", "p→q"),
        ("c > d > z", "c > d", "z"),
        ("c > d -> c -> e", "c > d", "c -> e"),
        ("\"c > d\" > z", "c > d", "z"),
        ("z -> \"c > d\"", "z", "c > d"),
        ("\"z\"->\"the \"\"one\"\", f\"", "z", "the \"one\", f"),
    ] {
        let known = |name: &str| {
            ["x-y", "x-", "z", "a>b", "p→q", "c > d", "c -> e", "the \"one\", f"].contains(&name)
        };
        let arc = text.parse::<NamedArc>().unwrap().among(known).unwrap();
        assert_eq!((arc.parent.as_str(), arc.child.as_str()), (parent, child), "{text}");
    }
    for text in ["Sex <- Age", "Sex<-Age", "Sex ← Age"] {
        assert_eq!(text.parse::<NamedArc>().unwrap().to_string(), "Age>Sex", "{text}");
    }
    for text in ["Age - Sex", "Age -- Sex", "Age--Sex", "Age – Sex"] {
        let error = text.parse::<NamedArc>().unwrap_err();
        assert!(error.contains("has no direction; write 'Age>Sex' or 'Sex>Age'"), "{error}");
        assert_eq!(NamedArc::undirected(text).unwrap().to_string(), "Age>Sex");
    }
    for text in ["Age", "Age-Sex", " - Sex", "a - b - c"] {
        assert_eq!(NamedArc::undirected(text), None, "{text}");
    }
    assert!("Age".parse::<NamedArc>().is_err() && ">b".parse::<NamedArc>().is_err());
}
