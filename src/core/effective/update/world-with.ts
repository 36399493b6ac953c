import type { World } from "../world/world.ts";

/** A world with some tables instead of its own. Spelled out, as every change makes several: a spread takes far longer. */
export const worldWith = (world: World, tables: Partial<World>, tangles: World["tangles"] = world.tangles): World => ({
  rulebook: tables.rulebook ?? world.rulebook,
  objects: tables.objects ?? world.objects,
  refused: tables.refused ?? world.refused,
  documentFindings: tables.documentFindings ?? world.documentFindings,
  doubles: tables.doubles ?? world.doubles,
  parents: tables.parents ?? world.parents,
  links: tables.links ?? world.links,
  mentionedBy: tables.mentionedBy ?? world.mentionedBy,
  labelReaders: tables.labelReaders ?? world.labelReaders,
  grantReaders: tables.grantReaders ?? world.grantReaders,
  grants: tables.grants ?? world.grants,
  policies: tables.policies ?? world.policies,
  selectors: tables.selectors ?? world.selectors,
  missing: tables.missing ?? world.missing,
  attached: tables.attached ?? world.attached,
  tangles,
  tallies: tables.tallies ?? world.tallies,
});
