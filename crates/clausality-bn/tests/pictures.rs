//! What every picture keeps to.

use clausality_bn::draw::{
    Bar, DrawnArc, DrawnNode, Form, Frame, Layout, Part, Picture, Point, STYLE, Weighing, layout, svg,
};
use clausality_bn::io::{Limits, bif};
use flate2::read::GzDecoder;
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::io::Read;
use std::path::Path;

/// A picture of nodes given by (states, part, length of name), with those arcs that lead from earlier to later nodes.
fn picture(nodes: &[(usize, usize, usize)], arcs: &[(usize, usize)]) -> Picture {
    let node = |(i, &(bars, part, length)): (usize, &(usize, usize, usize))| DrawnNode {
        name: format!("{i}{}", "n".repeat(length)),
        part: [Part::Parameter, Part::Observed, Part::Unobserved][part],
        bars: (0..bars).map(|s| Bar { label: format!("state {s}"), share: 0.25 }).collect(),
        note: String::new(),
    };
    let mut arcs: Vec<(usize, usize)> =
        arcs.iter().copied().filter(|&(a, b)| a < b && b < nodes.len()).collect();
    arcs.sort_unstable();
    arcs.dedup();
    let arc = |(parent, child)| DrawnArc { parent, child, compelled: true, ..DrawnArc::default() };
    Picture {
        title: "t".into(),
        nodes: nodes.iter().enumerate().map(node).collect(),
        arcs: arcs.into_iter().map(arc).collect(),
        ..Picture::default()
    }
}

/// Nodes with up to four states, arcs from earlier to later nodes.
fn pictures() -> impl Strategy<Value = Picture> {
    let node = (0usize..5, 0usize..3, 1usize..30);
    (prop::collection::vec(node, 1..16), prop::collection::vec((0usize..16, 0usize..16), 0..40))
        .prop_map(|(nodes, arcs)| picture(&nodes, &arcs))
}

/// Points along a curve.
fn sampled(curve: &[Point]) -> Vec<Point> {
    let mut points = vec![curve[0]];
    for start in (0..curve.len() - 1).step_by(3) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| curve[start + k]);
        for k in 1..=16 {
            let (t, s) = (f64::from(k) / 16.0, 1.0 - f64::from(k) / 16.0);
            let mix = |a: f64, b: f64, c: f64, d: f64| {
                s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
            };
            points.push(Point { x: mix(a.x, b.x, c.x, d.x), y: mix(a.y, b.y, c.y, d.y) });
        }
    }
    points
}

fn overlap(a: &Frame, b: &Frame) -> bool {
    a.left() < b.right() && b.left() < a.right() && a.top() < b.bottom() && b.top() < a.bottom()
}

fn inside(frame: &Frame, p: &Point) -> bool {
    frame.left() < p.x && p.x < frame.right() && frame.top() < p.y && p.y < frame.bottom()
}

fn check(picture: &Picture, found: &Layout) {
    for (i, a) in found.nodes.iter().enumerate() {
        assert!(a.left() >= 0.0 && a.right() <= found.width && a.top() >= 0.0 && a.bottom() <= found.height);
        for b in &found.nodes[..i] {
            assert!(!overlap(a, b), "{a:?} {b:?}");
        }
    }
    for (arc, curve) in picture.arcs.iter().zip(&found.arcs) {
        let (parent, child) = (&found.nodes[arc.parent], &found.nodes[arc.child]);
        let points = sampled(curve);
        let (first, last) = (points[0], points[points.len() - 1]);
        assert!((first.y - parent.bottom()).abs() < 1e-6 && (last.y - child.top()).abs() < 1e-6);
        assert!((first.x - parent.x).abs() < parent.w / 2.0 && (last.x - child.x).abs() < child.w / 2.0);
        let down = points.windows(2).all(|pair| pair[0].y <= pair[1].y + 1e-9);
        assert!(
            down || child.left() > parent.right(),
            "arcs go down, or to a column further right: {points:?}"
        );
        for (v, frame) in found.nodes.iter().enumerate() {
            let hit = points.iter().find(|p| inside(frame, p));
            assert!(hit.is_none(), "{} → {} runs through {v} at {hit:?}", arc.parent, arc.child);
        }
        assert!(points.iter().all(|p| p.x >= 0.0 && p.x <= found.width), "arcs stay on the sheet");
    }
}

/// Steps of a network over time: three nodes each, and one that all of them hang on.
fn steps(count: usize) -> Picture {
    let mut picture = Picture::default();
    let bars = |k: usize| {
        (0..k).map(|state| Bar { label: format!("state {state}"), share: 1.0 / k as f64 }).collect()
    };
    let node = |name: String, k| DrawnNode { name, bars: bars(k), ..DrawnNode::default() };
    picture.nodes.push(node("all".into(), 3));
    for step in 0..count {
        let first = picture.nodes.len();
        picture.nodes.extend((0..3).map(|k| node(format!("{} {step:03}", ["a", "b", "c"][k]), 4 + k)));
        let mut arc = |parent, child| picture.arcs.push(DrawnArc { parent, child, ..DrawnArc::default() });
        arc(first, first + 1);
        arc(first + 1, first + 2);
        arc(0, first + 2);
        if step > 0 {
            (0..3).for_each(|k| arc(first + k - 3, first + k));
        }
    }
    picture
}

#[test]
fn what_would_be_a_thread_stands_in_columns() {
    for count in [2, 12, 60] {
        let picture = steps(count);
        let found = layout(&picture);
        check(&picture, &found);
        let ratio = found.width / found.height;
        assert!(count == 2 || (0.6..4.0).contains(&ratio), "{count}: {} x {}", found.width, found.height);
    }
}

proptest! {
    #[test]
    fn nodes_keep_apart_and_arcs_go_down_past_them(picture in pictures()) {
        check(&picture, &layout(&picture));
    }

    #[test]
    fn the_order_of_nodes_does_not_matter(picture in pictures(), seed in any::<u64>()) {
        let n = picture.nodes.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&v| (v as u64 + 1).wrapping_mul(seed | 1) >> 7);
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(i, &v)| place[v] = i);
        let mut other = picture.clone();
        other.nodes = order.iter().map(|&v| picture.nodes[v].clone()).collect();
        for arc in &mut other.arcs {
            (arc.parent, arc.child) = (place[arc.parent], place[arc.child]);
        }
        other.arcs.reverse();
        let (one, two) = (layout(&picture), layout(&other));
        prop_assert_eq!((one.width, one.height), (two.width, two.height));
        prop_assert!((0..n).all(|v| one.nodes[v] == two.nodes[place[v]]));
        prop_assert!(one.arcs.iter().eq(two.arcs.iter().rev()));
    }

    #[test]
    fn any_text_is_read_back(names in prop::collection::vec(any::<String>(), 1..6), note in any::<String>()) {
        let node = |name: &String| DrawnNode {
            name: name.clone(),
            bars: vec![Bar { label: note.clone(), share: f64::NAN }],
            note: note.clone(),
            ..DrawnNode::default()
        };
        let picture = Picture { title: note.clone(), nodes: names.iter().map(node).collect(), ..Picture::default() };
        let (nodes, _) = read(&svg(&picture, Form::File));
        prop_assert_eq!(nodes.len(), names.len());
    }
}

/// The titles of all nodes and of all arcs, as an XML parser reads them; nothing may be there that is not ours.
fn read(text: &str) -> (Vec<String>, Vec<String>) {
    let mut reader = Reader::from_str(text);
    let (mut nodes, mut arcs) = (Vec::new(), Vec::new());
    let mut open: Vec<(String, String)> = Vec::new();
    let mut words = String::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) => {
                let name = String::from_utf8(tag.name().as_ref().to_vec()).unwrap();
                assert!(["svg", "g", "title", "style", "path", "text"].contains(&name.as_str()), "{name}");
                let class = tag.try_get_attribute("class").unwrap();
                let class = class.map(|class| class.unescape_value().unwrap().into_owned());
                open.push((name, class.unwrap_or_default()));
                words.clear();
            }
            Event::Empty(tag) => assert!([&b"rect"[..], b"path", b"polygon"].contains(&tag.name().as_ref())),
            Event::End(_) => {
                let (name, _) = open.pop().unwrap();
                let class = open.last().map_or("", |(_, class)| class.as_str());
                match (name.as_str(), class.split(' ').next()) {
                    ("title", Some("cl-node")) => nodes.push(words.clone()),
                    ("title", Some("cl-arc")) => arcs.push(words.clone()),
                    _ => {}
                }
            }
            Event::Text(piece) => words.push_str(&piece.decode().unwrap()),
            Event::GeneralRef(piece) => words.push(match &*piece.decode().unwrap() {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "#39" => '\'',
                other => panic!("&{other};"),
            }),
            Event::Eof => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(open.is_empty());
    (nodes, arcs)
}

#[test]
fn names_are_text_whatever_they_hold() {
    let names =
        ["<img src=x onerror=alert(1)>", "a\"b'c", "&amp;", "größe 日本", "]]></style><script>", "x\u{1}\ny"];
    let picture = Picture {
        title: "</title><script>".into(),
        nodes: names.map(|name| DrawnNode { name: name.into(), ..DrawnNode::default() }).to_vec(),
        arcs: (1..names.len())
            .map(|child| DrawnArc {
                parent: 0,
                child,
                weight: Some(0.5),
                note: "<b>".into(),
                ..DrawnArc::default()
            })
            .collect(),
        ..Picture::default()
    };
    for form in [Form::File, Form::Part] {
        let text = svg(&picture, form);
        let (nodes, arcs) = read(&text);
        assert_eq!(nodes[..5], names[..5]);
        assert_eq!(nodes[5], "x\\u{1}\ny");
        assert_eq!(arcs[0], "<img src=x onerror=alert(1)> → a\"b'c\n<b>");
        assert_eq!(arcs.len(), 5);
        assert!(!text.contains("style=") && !text.contains("href") && !text.contains("<script"));
        assert_eq!(text.contains(STYLE), form == Form::File);
        assert_eq!(text, svg(&picture, form));
    }
}

#[test]
fn the_legend_says_what_width_means_and_keeps_to_the_width_of_the_picture() {
    let node = |i: usize| DrawnNode { name: format!("a node of some length {i}"), ..DrawnNode::default() };
    let arc = |(parent, child)| DrawnArc { parent, child, weight: Some(0.4), ..DrawnArc::default() };
    let (nodes, arcs) = ((0..4).map(node).collect(), [(0, 1), (0, 2), (1, 3)].map(arc).to_vec());
    let mut picture = Picture { title: "t".repeat(90), nodes, arcs, ..Picture::default() };
    picture.arcs[0].compelled = true;
    let width = |text: &str| -> f64 {
        let after = text.split_once(" width=\"").unwrap().1;
        after.split('"').next().unwrap().parse().unwrap()
    };
    let words = [
        (Weighing::Influence, "thicker: more influence"),
        (Weighing::Strength, "thicker: stronger"),
        (Weighing::Confidence, "thicker: found more often"),
    ];
    for (weighing, word) in words {
        picture.weighing = weighing;
        let text = svg(&picture, Form::File);
        assert!(text.contains(&format!(">{word}</text>")), "{text}");
        assert!((width(&text) - layout(&picture).width).abs() < 0.1, "{} instead", width(&text));
    }
    // One node is narrower than any word about it.
    let alone = Picture { nodes: vec![node(0)], title: "t".repeat(90), ..Picture::default() };
    assert!((width(&svg(&alone, Form::File)) - layout(&alone).width).abs() < 0.1);
}

#[test]
fn nodes_without_arcs_stand_in_a_grid() {
    let node = |i: usize| DrawnNode { name: format!("node {i}"), ..DrawnNode::default() };
    let picture = Picture { nodes: (0..40).map(node).collect(), ..Picture::default() };
    let found = layout(&picture);
    check(&picture, &found);
    assert!(found.width < 4.0 * found.height && found.height < 2.0 * found.width);
    assert_eq!(layout(&Picture::default()).nodes, []);
    assert!(svg(&Picture::default(), Form::File).ends_with("</svg>\n"));
}

#[test]
fn cycles_and_loops_are_drawn_too() {
    let node = |i: usize| DrawnNode { name: format!("n{i}"), ..DrawnNode::default() };
    let arc = |(parent, child)| DrawnArc { parent, child, ..DrawnArc::default() };
    let arcs = [(0, 1), (1, 2), (2, 0), (1, 1), (2, 1)].map(arc).to_vec();
    let found = layout(&Picture { nodes: (0..3).map(node).collect(), arcs, ..Picture::default() });
    assert_eq!(
        found.arcs.iter().map(|curve| !curve.is_empty()).collect::<Vec<_>>(),
        [true, true, true, false, true]
    );
    assert_eq!(found.nodes.iter().filter(|frame| frame.w > 0.0).count(), 3);
}

#[test]
fn a_flat_arc_does_not_cut_a_corner() {
    // The arc from 4 to 7 goes far to the side close to the corner of 11.
    let sizes = [(0, 14), (0, 19), (0, 20), (0, 19), (1, 1), (1, 1), (4, 1), (0, 8), (3, 1), (0, 11)];
    let sizes = sizes.into_iter().chain([(1, 1), (2, 1), (0, 1)]);
    let nodes: Vec<_> = sizes.map(|(bars, length)| (bars, 0, length)).collect();
    let children: [(usize, &[usize]); 8] = [
        (0, &[7]),
        (1, &[8, 11]),
        (2, &[3, 9, 10]),
        (3, &[10, 12]),
        (4, &[7]),
        (5, &[7, 8, 9]),
        (6, &[7]),
        (7, &[12]),
    ];
    let arcs =
        children.iter().flat_map(|&(parent, children)| children.iter().map(move |&child| (parent, child)));
    let picture = picture(&nodes, &arcs.chain([(10, 12)]).collect::<Vec<_>>());
    check(&picture, &layout(&picture));
}

#[test]
fn a_star_is_folded_to_fit_a_page() {
    let node = |i: usize| DrawnNode { name: format!("column number {i}"), ..DrawnNode::default() };
    let arc = |child| DrawnArc { parent: 0, child, ..DrawnArc::default() };
    let (nodes, arcs) = ((0..31).map(node).collect(), (1..31).map(arc).collect());
    let picture = Picture { nodes, arcs, ..Picture::default() };
    let found = layout(&picture);
    check(&picture, &found);
    assert!(found.width < 5.0 * found.height, "{} × {}", found.width, found.height);
}

/// Pairs of arcs that cross, each as often as it does.
fn crossings(found: &Layout) -> usize {
    let curves: Vec<Vec<Point>> = found.arcs.iter().map(|curve| sampled(curve)).collect();
    let turn = |a: &Point, b: &Point, c: &Point| (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    let cross = |a: &[Point], b: &[Point]| {
        turn(&a[0], &a[1], &b[0]) * turn(&a[0], &a[1], &b[1]) < 0.0
            && turn(&b[0], &b[1], &a[0]) * turn(&b[0], &b[1], &a[1]) < 0.0
    };
    let mut count = 0;
    for (i, one) in curves.iter().enumerate() {
        for two in &curves[..i] {
            let near = |a: &[Point], b: &[Point]| a[0].y <= b[1].y && b[0].y <= a[1].y;
            let pairs = one.windows(2).flat_map(|a| two.windows(2).map(move |b| (a, b)));
            count += pairs.filter(|(a, b)| near(a, b) && cross(a, b)).count();
        }
    }
    count
}

#[test]
fn embedded_networks_are_drawn_with_few_crossings() {
    // Each bound is a little above what was measured.
    let bounds = [
        ("asia", 0),
        ("cancer", 0),
        ("earthquake", 0),
        ("survey", 0),
        ("sachs", 2),
        ("child", 2),
        ("insurance", 26),
        ("alarm", 9),
        ("hailfinder", 8),
        ("win95pts", 105),
        ("hepar2", 300),
        ("diabetes", 60),
    ];
    for (name, most) in bounds {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../clausality/networks/{name}.bif.gz"));
        let mut bytes = Vec::new();
        GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
        let picture = Picture::of(&bif::read(&bytes, &Limits::default()).unwrap());
        let found = layout(&picture);
        check(&picture, &found);
        let count = crossings(&found);
        assert!(count <= most, "{name}: {count}");
        let (nodes, arcs) = read(&svg(&picture, Form::Part));
        assert_eq!((nodes.len(), arcs.len()), (picture.nodes.len(), picture.arcs.len()));
        assert!(found.width < 2.5 * found.height, "{name}: {} × {}", found.width, found.height);
    }
}
