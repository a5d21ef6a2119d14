/**
 * Longest-prefix match of one address (PacketShader, SIGCOMM 2010, §6.2.1-2): DIR-24-8 for IPv4,
 * binary search on prefix lengths for IPv6.
 *
 * <pre>
 *  IPv4:  24 bits ─▶ entry ─▶ result | block of 256 ─▶ last 8 bits ─▶ result
 *  IPv6:  middle length ─▶ hit (prefix, or marker of a longer one): longer lengths | miss: shorter
 * </pre>
 *
 * <p>Of the prefixes around an address the one with the best rank wins; that is the longest one if
 * the rule set gives longer prefixes higher priorities. Entries take 16 bits up to 32,767 distinct
 * results, else 32.
 *
 * <p>Memory: 32 or 64 MB and 512 bytes or 1 KB a block for IPv4; 64 to 128 bytes a prefix and
 * marker for IPv6. Look-up: one or two loads; at most seven probes. Update: a new build, behind an
 * overlay. Refuses rules that name anything but a prefix of one address and the IP version.
 */
@NullMarked
package dev.sluice.engine.routes;

import org.jspecify.annotations.NullMarked;
