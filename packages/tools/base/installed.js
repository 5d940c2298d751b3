// Printed at the end of `npm install`, by the Node that it has installed.
process.stdout.write(
  `Accounts runs on its own Node ${process.versions.node}: ignore what npm says of another (EBADENGINE).\n`,
)
