/**
 * Readers of the output of {@code iptables-save} and {@code ip6tables-save}, behind that of {@code
 * ipset save} where rules name sets.
 *
 * <pre>
 * file     = { "#" text | "create" set | "add" element | table }
 * table    = "*" NAME { ":" CHAIN ( "ACCEPT" | "DROP" | "-" ) [ counters ] | rule } "COMMIT"
 * rule     = [ counters ] ( "-A" | "-I" | "-N" | "-P" ) CHAIN { [ "!" ] option { argument } }
 * counters = "[" packets ":" bytes "]"
 * </pre>
 *
 * <p>{@code docs/policies/iptables.md} lists the matches and targets. The options of a rule are
 * conditions that hold together; a match on ports fails every packet without a whole transport
 * header, negated or not, as in the kernel.
 */
@NullMarked
package dev.sluice.policy.iptables;

import org.jspecify.annotations.NullMarked;
