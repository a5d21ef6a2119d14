/**
 * Exact match before wildcards (S. Han, K. Jang, K. Park, S. Moon, "PacketShader: a GPU-accelerated
 * software router", SIGCOMM 2010, §6.2.3): a hash table of exact entries in front of any other
 * algorithm.
 *
 * <pre>
 *  header ─▶ exact tuple ─▶ hit better than every wildcard rule: done
 *                   else ─▶ wildcard rules ─▶ the better rank wins
 * </pre>
 *
 * <p>A rule is exact if it names every bit that any rule of the set names. By default the exact hit
 * competes by rank; by option an exact entry beats every wildcard rule, as in OpenFlow 0.8.9.
 *
 * <p>Memory: that of tuple search for exact rules, and of the inner image. Update: a new build,
 * behind an overlay. Supports what the inner algorithm supports.
 */
@NullMarked
package dev.sluice.engine.exact;

import org.jspecify.annotations.NullMarked;
