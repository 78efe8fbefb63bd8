//! Which nodes of the network the page has: all, but of a stretch of time the steps that are only there as the past of others.

use clausality::bn::Network;
use clausality::bn::draw::Picture;
use clausality::model::Model;

/// The nodes of the page, which numbers them from 0, among those of the network.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    nodes: Vec<usize>,
    places: Vec<Option<usize>>,
}

impl Window {
    pub(crate) fn of(model: &Model) -> Self {
        let nodes = model.shown();
        let mut places = vec![None; model.network.len()];
        nodes.iter().enumerate().for_each(|(place, &node)| places[node] = Some(place));
        Window { nodes, places }
    }

    /// The nodes of the network that the page has, in its order.
    pub(crate) fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// The number of a node on the page.
    pub(crate) fn place(&self, node: usize) -> Option<usize> {
        self.places[node]
    }

    /// An arc between two nodes of the page.
    pub(crate) fn arc(&self, (parent, child): (usize, usize)) -> Option<(usize, usize)> {
        self.place(parent).zip(self.place(child))
    }

    /// Of something for every node of the network that for the nodes of the page.
    pub(crate) fn shown<T>(&self, of_all: Vec<T>) -> Vec<T> {
        let shown = of_all.into_iter().zip(&self.places).filter(|(_, place)| place.is_some());
        shown.map(|(one, _)| one).collect()
    }

    /// The parents of a node of the network that the page has, by their numbers there.
    pub(crate) fn parents(&self, network: &Network, node: usize) -> Vec<usize> {
        network.parents(node).iter().filter_map(|&parent| self.place(parent)).collect()
    }

    /// The part of a picture that the page has.
    pub(crate) fn part(&self, picture: &mut Picture) {
        picture.nodes = self.shown(std::mem::take(&mut picture.nodes));
        picture.arcs.retain_mut(|arc| match self.arc((arc.parent, arc.child)) {
            Some((parent, child)) => {
                (arc.parent, arc.child) = (parent, child);
                true
            }
            None => false,
        });
    }
}
