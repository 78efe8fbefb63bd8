// What can be highlighted around a node.

import { counted } from './words.js';

const KINDS = {
  blanket: (graph, node, name) => ({ nodes: graph.blanket(node), title: `Markov blanket of ${name}` }),
  ancestors: (graph, node, name) => ({ nodes: graph.ancestors(node), title: `Ancestors of ${name}` }),
  descendants: (graph, node, name) => ({ nodes: graph.descendants(node), title: `Descendants of ${name}` }),
};

export class Lights {
  constructor(store, graph, search) {
    this.store = store;
    this.graph = graph;
    this.search = search;
  }

  name(node) {
    return this.store.network.nodes[node].name;
  }

  light(kind, node) {
    if (node === null) return;
    if (kind === 'path') return this.search.pick(`Path from ${this.name(node)} to …`, (other) => this.path(node, other));
    const { nodes, title } = KINDS[kind](this.graph, node, this.name(node));
    const count = nodes.size - 1;
    this.store.light({ nodes, arcs: this.graph.within(nodes), title: `${title}: ${counted(count, 'node')}` });
  }

  path(from, to) {
    const way = this.graph.path(from, to);
    if (!way) return this.store.light({ nodes: new Set([from, to]), arcs: [], title: `No path joins ${this.name(from)} and ${this.name(to)}` });
    const arrow = (k) => (this.graph.has(way[k - 1], way[k]) ? ' → ' : ' ← ');
    const title = way.map((node, k) => (k ? arrow(k) : '') + this.name(node)).join('');
    this.store.light({ nodes: new Set(way), arcs: this.graph.along(way), title });
  }
}
