// Sets of nodes and arcs to look at. A graph is its arcs, each { parent, child }.

export class Graph {
  constructor(size, arcs) {
    this.arcs = arcs;
    this.parents = Array.from({ length: size }, () => []);
    this.children = Array.from({ length: size }, () => []);
    for (const { parent, child } of arcs) {
      this.parents[child].push(parent);
      this.children[parent].push(child);
    }
  }

  // Everything that can be reached, the start included.
  reach(start, next) {
    const seen = new Set([start]);
    for (const node of seen) next[node].forEach((other) => seen.add(other));
    return seen;
  }

  ancestors(node) {
    return this.reach(node, this.parents);
  }

  descendants(node) {
    return this.reach(node, this.children);
  }

  // Parents, children, and the other parents of the children: given these, no other node matters.
  blanket(node) {
    const children = this.children[node];
    return new Set([node, ...this.parents[node], ...children, ...children.flatMap((child) => this.parents[child])]);
  }

  // The shortest way that follows the arcs, one way or the other; else the shortest that does not mind them.
  path(from, to) {
    const both = this.parents.map((parents, node) => [...parents, ...this.children[node]]);
    return this.way(from, to, this.children) ?? this.way(to, from, this.children)?.reverse() ?? this.way(from, to, both);
  }

  way(from, to, next) {
    const before = new Map([[from, null]]);
    for (const node of before.keys()) {
      if (node === to) {
        const way = [];
        for (let at = to; at !== null; at = before.get(at)) way.unshift(at);
        return way;
      }
      for (const other of next[node]) if (!before.has(other)) before.set(other, node);
    }
    return null;
  }

  has(parent, child) {
    return this.children[parent].includes(child);
  }

  // The arcs with both ends in a set.
  within(nodes) {
    return this.arcs.filter(({ parent, child }) => nodes.has(parent) && nodes.has(child));
  }

  // The arcs along a way.
  along(way) {
    const step = ({ parent, child }) => way.some((node, k) => k > 0 && ((way[k - 1] === parent && node === child) || (way[k - 1] === child && node === parent)));
    return this.arcs.filter(step);
  }
}
