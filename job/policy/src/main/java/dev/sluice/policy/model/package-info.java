/**
 * Middle form of firewall policies: every importer writes it, and everything behind the importers
 * reads it.
 *
 * <pre>
 * Policy     stages, in order; a packet passes if every stage lets it
 *   Stage      chains, the base chain that a packet enters, and the rule at its end
 *     PolicyRule  origin + condition + effect
 *       Condition   and, or, not over sets of field values, connection states, interfaces, unknowns
 *       Effect      decide, jump, go to, return, continue
 * </pre>
 *
 * <p>All types are immutable. A condition tests the bits of a header and nothing else: an importer
 * adds the IP version and the present bits that its format implies.
 */
@NullMarked
package dev.sluice.policy.model;

import org.jspecify.annotations.NullMarked;
