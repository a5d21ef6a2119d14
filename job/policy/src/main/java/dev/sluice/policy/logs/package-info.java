/**
 * Logs of devices against policies: packets that rules of a firewall logged, and a check that the
 * same packets reach the same rules of a policy.
 *
 * <p>A log line proves one fact: the packet reached a rule that logs, and met its conditions.
 * {@link dev.sluice.policy.logs.LogVerifier} asks the policy for this fact exactly. It makes the
 * rule one that decides, in a copy of the policy, and judges the packet: if another rule decides
 * for certain, the device runs another policy.
 *
 * <p>The words of a line are those of Linux's nf_log_syslog.c (6.x) and of xt_LOG before it.
 */
@NullMarked
package dev.sluice.policy.logs;

import org.jspecify.annotations.NullMarked;
