/**
 * Comparison of a device's own log with a policy: {@code sluice verify}.
 *
 * <p>{@link dev.sluice.job.verify.DeviceLog} reads lines of syslog and captures of {@code nflog}
 * interfaces as packets; {@link dev.sluice.policy.logs.LogVerifier} judges them; {@link
 * dev.sluice.job.verify.FindingTable} prints what it finds.
 */
@NullMarked
package dev.sluice.job.verify;

import org.jspecify.annotations.NullMarked;
