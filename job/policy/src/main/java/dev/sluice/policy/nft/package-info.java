/**
 * Readers of nftables' rulesets: text as {@code nft list ruleset} prints it and as people write it,
 * and JSON as {@code nft -j list ruleset} prints it.
 *
 * <pre>
 * file      = { command ( NEWLINE | ";" ) }
 * command   = table | "flush" "ruleset" | ( "add" | "create" | "insert" | "delete" | "flush" ) object
 *           | "define" NAME "=" value | "include" STRING
 * table     = "table" [ family ] NAME "{" { chain | set | map | object | define | include } "}"
 * chain     = "chain" NAME "{" [ "type" TYPE "hook" HOOK [ device ] "priority" PRIORITY ";" ]
 *             [ "policy" VERDICT ";" ] { rule } "}"
 * set, map  = ( "set" | "map" ) NAME "{" { property } [ "elements" "=" "{" element { "," element } "}" ] "}"
 * rule      = { statement } [ "comment" STRING ]
 * statement = expression [ operator ] value | expression "vmap" map | expression "set" value | verdict
 *           | counter | log | limit | ...
 * value     = literal | range | prefix | "{" ... "}" | "@" SET | "$" VARIABLE | value "." value | list
 * </pre>
 *
 * <p>Both forms become one tree, that of libnftables-json(5): {@link dev.sluice.policy.nft.Node}.
 * {@link dev.sluice.policy.nft.Ruleset} runs its commands. A statement's condition includes what
 * nft adds in silence, such as {@code meta l4proto tcp} for {@code tcp dport}: a payload that
 * cannot be loaded ends the rule, negated or not.
 *
 * <p>{@code docs/policies/nft.md} lists what is read, approximated and refused.
 */
@NullMarked
package dev.sluice.policy.nft;

import org.jspecify.annotations.NullMarked;
