use super::*;
use crate::sample;

/// Rain with a memory of two steps, a pump that fails after rain, a site that holds for a series.
pub(crate) fn weather() -> DynamicNetwork {
    let site = Variable::new("Site", ["hill", "valley"]);
    let rain = Variable::new("Rain", ["none", "some", "much"]);
    let pump = Variable::new("Pump", ["runs", "fails"]);
    let (statics, processes) = (vec![site], vec![rain, pump]);
    let first = DynamicNetwork::start_schema(&statics, &processes, 2).unwrap();
    let row = |weights: &[f64]| {
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|w| w / sum).collect::<Vec<f64>>()
    };
    let rows = |n: usize, states: usize, shift: usize| {
        (0..n)
            .flat_map(|j| {
                row(&(0..states).map(|k| 1.0 + ((j * 7 + k * 5 + shift) % 6) as f64).collect::<Vec<_>>())
            })
            .collect()
    };
    let node = |schema: &Schema, name: &str| schema.index(name).unwrap();
    let cpt = |schema: &Schema, name: &str, parents: &[&str], shift: usize| {
        let v = node(schema, name);
        let parents: Vec<usize> = parents.iter().map(|p| node(schema, p)).collect();
        let n = parents.iter().map(|&p| schema.cardinality(p)).product();
        Cpt::new(schema, v, parents, rows(n, schema.cardinality(v), shift)).unwrap()
    };
    let start = vec![
        cpt(&first, "Site", &[], 0),
        cpt(&first, "Rain@0", &["Site"], 1),
        cpt(&first, "Pump@0", &["Rain@0"], 2),
        cpt(&first, "Rain@1", &["Rain@0", "Site"], 3),
        cpt(&first, "Pump@1", &["Pump@0", "Rain@1"], 4),
    ];
    let start = Network::new("start", first, start).unwrap();
    let window = DynamicNetwork::window_schema(&statics, &processes, 2).unwrap();
    let transition = vec![
        cpt(&window, "Rain", &["Rain@-2", "Site", "Rain@-1"], 0),
        cpt(&window, "Pump", &["Rain", "Pump@-1", "Rain@-2"], 5),
    ];
    DynamicNetwork::new("weather", 2, statics, processes, start, transition).unwrap()
}

#[test]
fn a_step_is_a_whole_number_after_the_last_mark() {
    let read = |text| (Lagged::parse(text).name, Lagged::parse(text).step);
    assert_eq!(read("Rain"), ("Rain", None));
    assert_eq!(read("Rain@-2"), ("Rain", Some(-2)));
    assert_eq!(read("a@b@10"), ("a@b", Some(10)));
    for name in ["@3", "a@", "a@-", "a@+1", "a@1.5", "a@ 1", "a@--1", "a@99999999999999999999"] {
        assert_eq!(read(name), (name, None));
    }
    for name in ["Rain@-2", "Rain", "Rain@0", "me@home", "a@b@7"] {
        assert_eq!(Lagged::parse(name).to_string(), name);
    }
    assert_eq!(
        (Lagged::ago("X", 0).to_string(), Lagged::ago("X", 2).to_string()),
        ("X".into(), "X@-2".into())
    );
}

#[test]
fn unrolled_tables_are_those_of_the_start_and_then_the_same_at_every_step() {
    let network = weather();
    let long = network.unroll(5).unwrap();
    let names: Vec<&str> = long.schema().variables().iter().map(|v| v.name.as_str()).collect();
    let expected = "Site Rain@0 Pump@0 Rain@1 Pump@1 Rain@2 Pump@2 Rain@3 Pump@3 Rain@4 Pump@4";
    assert_eq!(names.join(" "), expected);
    let named = |v: &str| {
        let v = long.schema().index(v).unwrap();
        long.parents(v).iter().map(|&p| long.schema().name(p)).collect::<Vec<_>>()
    };
    assert_eq!(named("Rain@4"), ["Rain@2", "Site", "Rain@3"]);
    assert_eq!(named("Pump@2"), ["Rain@2", "Pump@1", "Rain@0"]);
    assert_eq!(long.cpt(10).values(), network.transition(1).values());
    assert_eq!(network.parents(1), [Place::Process(0, 0), Place::Process(1, 1), Place::Process(0, 2)]);
    let plain = network.unroll_as(3, Naming::Plain, DEFAULT).unwrap();
    assert_eq!(plain.schema().name(5), "Rain_t2");
    assert!(matches!(network.unroll(1), Err(Error::Parameter { .. })));
    assert!(network.unroll_as(1_000_000_000, Naming::At, DEFAULT).unwrap_err().is_limit());
}

const DEFAULT: u64 = crate::DEFAULT_TABLE_BYTES;

#[test]
fn a_start_in_another_order_gives_the_same_network() {
    let network = weather();
    let schema = network.start().schema();
    let turned: Vec<usize> = (0..schema.len()).rev().collect();
    let other = Schema::new(turned.iter().map(|&v| schema.variable(v).clone()).collect()).unwrap();
    let start = arranged(network.start().clone(), other).unwrap();
    assert_eq!(start.schema().name(0), "Pump@1");
    let back = DynamicNetwork::from_windows(2, &["Site"], start, network.window()).unwrap();
    assert_eq!(back, network);
    assert_eq!(sample(&back.unroll(4).unwrap(), 50, 1), sample(&network.unroll(4).unwrap(), 50, 1));
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let network = weather();
    let parts = || {
        let statics = network.statics().variables().to_vec();
        let processes = network.processes().variables().to_vec();
        let transition: Vec<Cpt> = (0..2).map(|p| network.transition(p).clone()).collect();
        (statics, processes, network.start().clone(), transition)
    };
    let (statics, processes, start, transition) = parts();
    let wrong = DynamicNetwork::new("t", 3, statics, processes, start, transition);
    assert!(matches!(wrong, Err(Error::ColumnCount { columns: 5, variables: 7 })), "{wrong:?}");

    let (statics, mut processes, start, transition) = parts();
    processes[0].name = "Rain@-1".into();
    let wrong = DynamicNetwork::new("t", 2, statics, processes, start, transition).unwrap_err();
    assert!(wrong.to_string().contains("'Rain@-1'") && wrong.to_string().contains("another name"), "{wrong}");

    // A cycle within a step.
    let (statics, processes, start, mut transition) = parts();
    let window = network.window().schema();
    let pump = network.window_node(1, 0);
    let rain = network.window_node(0, 0);
    transition[0] = Cpt::new(window, rain, vec![pump], vec![1.0, 0.0, 0.0, 0.5, 0.5, 0.0]).unwrap();
    let wrong = DynamicNetwork::new("t", 2, statics, processes, start, transition).unwrap_err();
    assert!(matches!(wrong, Error::Cycle { .. }), "{wrong}");

    // A start in which the second step acts on the first.
    let (statics, processes, start, transition) = parts();
    let schema = start.schema().clone();
    let mut cpts = start.cpts().to_vec();
    let node = |name: &str| schema.index(name).unwrap();
    cpts[node("Rain@1")] = Cpt::new(&schema, node("Rain@1"), vec![], vec![0.25, 0.25, 0.5]).unwrap();
    cpts[node("Rain@0")] =
        Cpt::new(&schema, node("Rain@0"), vec![node("Rain@1")], [[0.25, 0.25, 0.5]; 3].concat()).unwrap();
    let start = Network::new("start", schema, cpts).unwrap();
    let wrong = DynamicNetwork::new("t", 2, statics, processes, start, transition).unwrap_err();
    assert!(wrong.to_string().contains("what comes later does not act"), "{wrong}");
}
