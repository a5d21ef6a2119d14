/**
 * Recursive flow classification (P. Gupta and N. McKeown, "Packet classification on multiple
 * fields", SIGCOMM 1999) and Bitmap-RFC (D. Liu, B. Hua, X. Hu, X. Tang, "High-performance packet
 * classification algorithm for many-core and multithreaded network processor", CASES 2006, §3-4):
 * chunks of a header, up to 16 bits each, index tables whose entries are class ids. A class stands
 * for the values that the same rules allow. The classes of two or three tables together index the
 * next table, and so on; the entries of the last table are verdicts.
 *
 * <pre>
 *  source hi, lo ──▶ address ─┐
 *  destination hi, lo ▶ address ├─▶ pair ─┐        Bitmap-RFC, one piece of 2^k entries:
 *  ports, protocol ──▶ fields ─┘  other ──┴▶ verdict  | bitmap | values of the runs | (address) |
 * </pre>
 *
 * <p>The exact form covers every field: first each address is reduced to one table, then the two
 * smallest of the others again and again while their table is small, until at most four parts are
 * left. These are joined one after the other, in the order that gives the smallest tables by an
 * estimate from some rows, or gave them for nearly the same rules. From there on a class stands for
 * the rules that can still be the first: one behind another rule that allows whatever it does in
 * the parts not yet joined is left out, so that classes are few and lists of their rules short. The
 * paper's form has six 16-bit chunks, X = (0,1,4), Y = (2,3,5), Z = (X,Y), no protocol, and strides
 * of powers of two; it refuses rules that name other fields. Bitmap-RFC cuts the tables that
 * classes index into pieces of 32 entries, 20 bytes each; those of chunks stay plain, as in the
 * paper. The compressed form chooses, for each table, pieces of 32 to 128 entries and the number of
 * their elements by how many values pieces have, and aligns them to cache sectors; the tuned form
 * does so where tables together pass 16 MiB, and leaves those uncompressed that fit a core's cache.
 *
 * <p>What Bitmap-RFC is not good for: tables are 3 to 4 times smaller, but look-ups are slower than
 * RFC's: at a quarter of its rate where the plain tables fit the caches, at three quarters, tuned,
 * where they do not (decision 0064). A budget that is too small for plain tables is too small for
 * compressed ones, too: a build holds the uncompressed tables. It is here for comparison, and
 * {@code auto} never takes it (decision 0064).
 *
 * <p>Our reading where the paper is silent: a piece of more runs than elements keeps the first
 * elements and puts the rest at the accessory address.
 *
 * <p>Memory: the product of class counts, up to 6 KB a rule at 10,000 rules. Look-up: one load a
 * table, no comparison. Update: a new build, behind an overlay. Supports every match. Thread-safe.
 */
@NullMarked
package dev.sluice.engine.rfc;

import org.jspecify.annotations.NullMarked;
