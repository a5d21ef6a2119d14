/**
 * Rules that change while packets flow: one stream a process follows the rule history and has one
 * engine serve it, for all subtasks of the classify operator.
 *
 * <pre>
 * broadcast --every message to every subtask--> RuleLease: the first to bring number i hands it over
 *                                                   |
 *                                               RuleStream: its thread decodes, RuleContent follows
 *                                                   |
 *                                               RuleServing: a small change is applied at once,
 *                                                   |         anything else is built behind
 *                                               RuleServer: the engine
 *                                                   |
 * subtask <--mail: a newer version is there---- VersionsInForce
 * </pre>
 *
 * <p>{@link dev.sluice.operators.stream.RuleStreams} keeps the streams of the process: one for each
 * attempt to run the operator, with counted {@link dev.sluice.operators.stream.RuleLease leases}. A
 * failed attempt's stream ends by itself and delays nobody.
 *
 * <p>What the history says (the content) and what packets are judged by (the version in force) are
 * two things. The content always follows. A version that the engine cannot serve leaves the last
 * servable one in force, becomes a dead letter ({@link
 * dev.sluice.operators.stream.RefusedVersion}), and the next servable one comes into force.
 *
 * <p>Messages travel to the tasks gathered ({@link
 * dev.sluice.operators.stream.GatherRuleMessages}), since a task takes an element of the rules for
 * each element of packets.
 *
 * <p>Tasks' mailbox threads never decode rules, never build, and never wait for who does: they take
 * one short lock. Where no rules are in force yet, packets wait as keyed state. Beyond {@code
 * --waiting-bytes} a task takes no input, the broadcast of the rules included; so a {@link
 * dev.sluice.operators.stream.RuleBootstrap} reads the history beside the job until the first rules
 * are in force.
 */
@NullMarked
package dev.sluice.operators.stream;

import org.jspecify.annotations.NullMarked;
