const { default: changelog } = require('@changesets/cli/changelog');

/*
 * Writes the changes of each package. Leaves out the lines "Updated dependencies [commit]", because all packages share
 * one version.
 */
module.exports = { ...changelog, getDependencyReleaseLine: () => Promise.resolve('') };
