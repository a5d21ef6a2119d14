/**
 * Work of the {@code sluice rules} commands on a rules topic: names of rules and places ({@code
 * RuleEdit}), the rules of a version as a publisher edits them ({@code RuleContent}, {@code
 * RuleEdits}), streams of changes ({@code EditFollower}), and tables. {@link
 * dev.sluice.job.ruletopic.RuleTopic} reads the topic, {@link
 * dev.sluice.job.ruletopic.RulePublisher} publishes to it.
 */
@NullMarked
package dev.sluice.job.rules;

import org.jspecify.annotations.NullMarked;
