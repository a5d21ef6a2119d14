/**
 * Reader of {@code pf.conf}, of OpenBSD and FreeBSD.
 *
 * <pre>
 * text      = { macro | table | option | rule | anchor | translation | ignored }
 * macro     = NAME "=" { word | '"' text '"' }              stands for $NAME behind it
 * table     = "table" "&lt;" NAME "&gt;" { "const" | "persist" | "file" name | "{" { ["!"] address } "}" }
 * option    = "set" ( "skip" "on" interfaces | "reassemble" yesno | another )
 * rule      = ( "pass" | "block" [ answer ] | "match" ) filter
 * filter    = { "in" | "out" | "log" | "quick" | "on" interfaces | "inet" | "inet6"
 *             | "proto" protocols | "all" | "from" ends | "to" ends | "flags" f "/" f
 *             | "icmp-type" types | state | option of no effect }
 * ends      = [ hosts ] [ "port" ports ] [ "os" systems ]
 * state     = ( "keep" | "modulate" | "synproxy" | "no" ) "state" [ "(" ... ")" ]
 * anchor    = "anchor" [ name ] filter [ "{" { rule | anchor } "}" ]
 * translation = ( "nat" | "rdr" | "binat" ) ...             said, not applied
 * </pre>
 *
 * <p>A list in braces stands for a rule by element; these have one action, so that the list is one
 * condition. The last rule that matches decides, or the first one with {@code quick}. A first-match
 * list means the same: rules with {@code quick} in their order, then the others from the last to
 * the first. The rules of an anchor stand in its place under its condition.
 *
 * <p>A rule that passes packets keeps state, and then takes TCP packets with SYN and without ACK
 * alone, as pf.conf(5) documents.
 */
@NullMarked
package dev.sluice.policy.pf;

import org.jspecify.annotations.NullMarked;
