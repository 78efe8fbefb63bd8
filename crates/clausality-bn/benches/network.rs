//! Reading, sampling, scoring and comparing: `cargo bench -p clausality-bn`. The shape stands in the name.

use clausality_bn::compare::{Comparison, Named};
use clausality_bn::io::{Limits, bif};
use clausality_bn::random::Stream;
use clausality_bn::{Dag, Network, Score, Scorer, sample};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::io::Read;
use std::path::Path;

fn text(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../clausality/networks/{name}.bif.gz"));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).expect("an embedded network");
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("a packed file");
    bytes
}

fn network(name: &str) -> Network {
    bif::read(&text(name), &Limits::default()).expect("an embedded network")
}

fn files(c: &mut Criterion) {
    let bytes = text("diabetes");
    let diabetes = network("diabetes");
    c.bench_function("read/diabetes-461069-cells", |b| {
        b.iter(|| bif::read(black_box(&bytes), &Limits::default()))
    });
    c.bench_function("write/diabetes-461069-cells", |b| b.iter(|| bif::write(black_box(&diabetes))));
}

fn sampling(c: &mut Criterion) {
    for (name, rows) in [("alarm", 1_000_000), ("insurance", 5_000), ("diabetes", 5_000)] {
        let network = network(name);
        let id = format!("sample/{name}-{}x{rows}", network.len());
        c.bench_function(&id, |b| b.iter(|| sample(black_box(&network), rows, 1)));
    }
}

fn scoring(c: &mut Criterion) {
    let alarm = network("alarm");
    let table = sample(&alarm, 5_000, 1);
    let scores = [
        ("bdeu", Score::Bdeu { ess: 1.0 }),
        ("bic", Score::Bic),
        ("fnml", Score::Fnml),
        ("qnml", Score::Qnml),
    ];
    for (name, score) in scores {
        let scorer = Scorer::new(&table, score).expect("a good score");
        let mut counter = scorer.counter().expect("few rows");
        let node = alarm.schema().index("CATECHOL").expect("a node of alarm");
        let mut parents = alarm.parents(node).to_vec();
        c.bench_function(&format!("family/{name}-5000-rows-{}-parents", parents.len()), |b| {
            b.iter(|| {
                // A counter remembers the family that it numbered last: never ask for the same one twice.
                parents.reverse();
                scorer.family(&mut counter, black_box(node), &parents)
            })
        });
    }
}

fn comparing(c: &mut Criterion) {
    for name in ["alarm", "diabetes"] {
        let truth = network(name);
        let mut stream = Stream::new(1, "learned");
        let mut learned: Dag = truth.dag().clone();
        for (p, c) in truth.dag().arcs() {
            match stream.below(5) {
                0 => drop(learned.remove(p, c)),
                1 => drop(learned.try_reverse(p, c)),
                _ => {}
            }
        }
        let names: Vec<&str> = truth.schema().variables().iter().map(|v| v.name.as_str()).collect();
        let learned = Named::new(&names, &learned).expect("unique names");
        let id = format!("compare/{name}-{}-nodes", truth.len());
        c.bench_function(&id, |b| b.iter(|| Comparison::of(black_box(&truth), learned.clone())));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = files, sampling, scoring, comparing
}
criterion_main!(benches);
