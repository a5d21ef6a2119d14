/**
 * Work of {@code sluice rules} on the rules of a topic: a user's words for rules, places and
 * changes, the content of a version as a publisher edits it, streams of changes, and tables for a
 * person or a program. The topic itself is {@link dev.sluice.job.ruletopic.RuleTopic}, publishing
 * to it {@link dev.sluice.job.ruletopic.RulePublisher}.
 */
@NullMarked
package dev.sluice.job.rules;

import org.jspecify.annotations.NullMarked;
