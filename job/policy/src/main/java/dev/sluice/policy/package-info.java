/**
 * Readers of rule files and header traces of other tools.
 *
 * <p>{@link dev.sluice.policy.RuleFile} reads a file, {@link dev.sluice.policy.RuleText} a single
 * rule. {@link dev.sluice.policy.RuleFormats} finds the {@link dev.sluice.policy.RuleFormat} that
 * claims the text; the format adds the rules to a {@link dev.sluice.policy.RuleReading}. Each
 * format has a package below. {@link dev.sluice.policy.HeaderTrace} reads traces.
 *
 * <p>Reading is strict: a rule that cannot be expressed is refused with file, line, column and
 * remedy. All defects of a file are reported together.
 */
@NullMarked
package dev.sluice.policy;

import org.jspecify.annotations.NullMarked;
