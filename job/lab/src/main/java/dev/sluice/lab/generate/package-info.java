/**
 * Generators of rule sets and header traces for benchmarks and tests; the same seed gives the same
 * lines. A {@link dev.sluice.lab.generate.RuleShape} names a kind of rule set, {@link
 * dev.sluice.lab.generate.RuleGenerator} makes it, and {@link
 * dev.sluice.lab.generate.TraceGenerator} makes headers for it.
 */
@NullMarked
package dev.sluice.lab.generate;

import org.jspecify.annotations.NullMarked;
