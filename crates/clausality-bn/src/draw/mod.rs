//! Pictures of Bayesian networks: a layered drawing from top to bottom, as SVG.
//!
//! Parents stand above their children. [`layout()`] finds places in the manner of Sugiyama, Tagawa and Toda (1981): layers
//! (`layers.rs`), orders within layers that leave few crossings (`crossings.rs`), places (`place.rs`), curves that keep
//! clear of all other nodes (`route.rs`), and the parts of a graph that hang together side by side (`arrange.rs`). [`svg()`]
//! writes the result with [`STYLE`], which knows light and dark.
//!
//! Nothing depends on the order of nodes and arcs but which number they carry: everything is done in the order of names, with
//! IEEE basic operations only, so the same network gives the same picture on every machine.
//!
//! ```
//! use clausality_bn::{Dag, draw};
//! let dag = Dag::from_arcs(3, [(0, 2), (1, 2)]).unwrap();
//! let names = ["rain", "sprinkler", "wet grass"].map(String::from);
//! let picture = draw::Picture::of_graph(&names, &dag);
//! assert!(draw::svg(&picture, draw::Form::File).starts_with("<svg "));
//! let places = draw::layout(&picture).nodes;
//! assert!(places[0].y < places[2].y);
//! ```

mod arrange;
mod columns;
mod crossings;
mod label;
mod layered;
mod layers;
mod legend;
mod over_time;
mod pen;
mod piece;
mod place;
mod route;
mod simplex;
mod svg;

pub use arrange::layout;
pub use label::escaped;
pub use over_time::over_time;
pub use svg::{STYLE, svg};

use crate::{Dag, Network, Pdag};

/// What is to be drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// What the picture shows; may be empty.
    pub title: String,
    /// The nodes; arcs name them by their place here.
    pub nodes: Vec<DrawnNode>,
    /// The arcs.
    pub arcs: Vec<DrawnArc>,
    /// What the weights of the arcs measure.
    pub weighing: Weighing,
}

/// What a wide arc has more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weighing {
    /// The parent moves its child farther.
    #[default]
    Influence,
    /// More was learned about the child from the parent.
    Strength,
    /// Learned again from other rows, the arc was found more often.
    Confidence,
}

/// A node of a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DrawnNode {
    /// Its name.
    pub name: String,
    /// The part it plays, which gives shape and colour.
    pub part: Part,
    /// Its states with their probabilities; a node without any shows its name alone.
    pub bars: Vec<Bar>,
    /// What the tooltip says beside the name; may be empty.
    pub note: String,
}

/// The part that a node plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Part {
    /// A given: nothing points into it.
    Parameter,
    /// Neither given nor sought.
    #[default]
    Observed,
    /// What is to be inferred.
    Unobserved,
}

/// A state of a node and its probability.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bar {
    /// The state.
    pub label: String,
    /// Its probability.
    pub share: f64,
}

/// An arc of a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DrawnArc {
    /// Where it starts.
    pub parent: usize,
    /// Where it ends.
    pub child: usize,
    /// How strong or how sure it is, between 0 and 1: the more, the wider.
    pub weight: Option<f64>,
    /// Whether its direction is certain: every equivalent network has it this way round.
    pub compelled: bool,
    /// What the tooltip says beside the names; may be empty.
    pub note: String,
    /// What stands on the arc; may be empty.
    pub label: String,
}

impl Picture {
    /// The picture of a network; which arcs are compelled is read from its graph.
    pub fn of(network: &Network) -> Self {
        let names: Vec<String> = network.schema().variables().iter().map(|v| v.name.clone()).collect();
        Picture { title: network.name().to_string(), ..Picture::of_graph(&names, network.dag()) }
    }

    /// The picture of a graph whose nodes have these names.
    ///
    /// # Panics
    /// If there are not as many names as nodes.
    pub fn of_graph(names: &[String], dag: &Dag) -> Self {
        assert_eq!(names.len(), dag.len(), "a name for every node");
        let class = Pdag::complete(dag);
        let node = |name: &String| DrawnNode { name: name.clone(), ..DrawnNode::default() };
        let arc = |(parent, child)| DrawnArc {
            parent,
            child,
            compelled: class.is_directed(parent, child),
            ..DrawnArc::default()
        };
        Picture {
            title: String::new(),
            nodes: names.iter().map(node).collect(),
            arcs: dag.arcs().map(arc).collect(),
            weighing: Weighing::default(),
        }
    }
}

/// A picture as a file of its own or as a part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A whole file, with its style in it.
    File,
    /// An `<svg>` element for a page that has [`STYLE`] itself.
    Part,
}

/// Where everything is; y grows downwards.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// The width of the whole.
    pub width: f64,
    /// The height of the whole.
    pub height: f64,
    /// The nodes in the order of the picture's.
    pub nodes: Vec<Frame>,
    /// The arcs in the order of the picture's: a start, then three points (two that pull, one that is reached) for each piece of
    /// a cubic Bézier curve. An arc from a node to itself has no points.
    pub arcs: Vec<Vec<Point>>,
}

/// A box around a node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Frame {
    /// The middle, from the left.
    pub x: f64,
    /// The middle, from the top.
    pub y: f64,
    /// The width.
    pub w: f64,
    /// The height.
    pub h: f64,
}

impl Frame {
    /// The upper edge.
    pub fn top(&self) -> f64 {
        self.y - self.h / 2.0
    }

    /// The lower edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.h / 2.0
    }

    /// The left edge.
    pub fn left(&self) -> f64 {
        self.x - self.w / 2.0
    }

    /// The right edge.
    pub fn right(&self) -> f64 {
        self.x + self.w / 2.0
    }
}

/// A place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}
