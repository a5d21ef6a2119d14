/**
 * Policies in other formats, as far as these can say them; what they cannot say is refused with the
 * rule and the reason.
 *
 * <p>ClassBench and OpenFlow are lists of boxes: {@link dev.sluice.policy.convert.ClassBenchText}
 * and {@link dev.sluice.policy.convert.FlowText} print what {@link
 * dev.sluice.policy.flatten.FirstMatchList} makes of a policy, or rules that stand for themselves.
 * iptables and ip6tables have chains: each rule is printed as one line for each {@link
 * dev.sluice.policy.convert.Conjunct} of its condition. The packets of each line are those of the
 * rule, so that reading the text again gives every packet its verdict.
 */
@NullMarked
package dev.sluice.policy.convert;

import org.jspecify.annotations.NullMarked;
