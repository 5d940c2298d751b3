import { dirname } from "node:path"

import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Started last, a file that takes minutes would run alone at the end: those of Node's project are short. */
const projects = ["deploy", "workers", "node"]

/**
 * The files of a project follow each other, because vitest ends a worker when the next file is of another
 * project. In each of them vitest's own order counts: longest first, as the last run took, or by size.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own method, not an array's
    const longestFirst = await super.sort(files)
    return [...Map.groupBy(longestFirst, ({ project }) => project.name)]
      .toSorted(([a], [b]) => projects.indexOf(a) - projects.indexOf(b))
      .flatMap(([, specifications]) => spread(specifications))
  }
}

/** Spreads the files of a folder: many of them wait for the same, which leaves the cores idle. */
function spread(files: TestSpecification[]): TestSpecification[] {
  const folders = Map.groupBy(files, ({ moduleId }) => dirname(moduleId))
  return [...folders.values()]
    .flatMap((folder) =>
      folder.map((file, index) => ({ file, place: (index + 0.5) / folder.length })),
    )
    .toSorted((a, b) => a.place - b.place)
    .map(({ file }) => file)
}
