/**
 * The circles of a graph, one per knot of nodes that reach each other (Tarjan's components), each given as a shortest
 * way round starting from its first node by name.
 *
 * @param {Map<string, string[]>} graph
 * @returns {string[][]}
 */
export function findCircles(graph) {
  return findKnots(graph).map((knot) => walkRound(graph, knot))
}

/** @param {Map<string, string[]>} graph */
function findKnots(graph) {
  let counter = 0
  /** @type {Map<string, { index: number, low: number, onStack: boolean }>} */
  const seen = new Map()
  /** @type {string[]} */
  const stack = []
  /** @type {Set<string>[]} */
  const knots = []

  /** @param {string} node */
  const visit = (node) => {
    const state = { index: counter, low: counter, onStack: true }
    counter += 1
    seen.set(node, state)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      const known = seen.get(next)
      if (!known) state.low = Math.min(state.low, visit(next).low)
      else if (known.onStack) state.low = Math.min(state.low, known.index)
    }
    if (state.low === state.index) collect(node)
    return state
  }

  /** @param {string} first */
  const collect = (first) => {
    const knot = new Set(stack.splice(stack.indexOf(first)))
    for (const member of knot) Object.assign(seen.get(member) ?? {}, { onStack: false })
    if (knot.size > 1 || graph.get(first)?.includes(first)) knots.push(knot)
  }

  for (const node of graph.keys()) if (!seen.has(node)) visit(node)
  return knots
}

/**
 * @param {Map<string, string[]>} graph
 * @param {Set<string>} knot
 * @returns {string[]}
 */
function walkRound(graph, knot) {
  const start = [...knot].sort()[0] ?? ''
  /** @type {string[][]} */
  const ways = [[start]]
  const visited = new Set()
  for (const way of ways) {
    for (const next of graph.get(way.at(-1) ?? '') ?? []) {
      if (next === start) return [...way, start]
      if (!knot.has(next) || visited.has(next)) continue
      visited.add(next)
      ways.push([...way, next])
    }
  }
  return [start]
}
