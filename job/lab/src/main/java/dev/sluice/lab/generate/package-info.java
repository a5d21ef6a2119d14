/**
 * Rule sets and header traces made on demand, the same ones for the same seed: for benchmarks, for
 * tests of size, and for trying Sluice without a policy of one's own.
 */
@NullMarked
package dev.sluice.lab.generate;

import org.jspecify.annotations.NullMarked;
