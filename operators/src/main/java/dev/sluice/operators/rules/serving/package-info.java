/**
 * Rules that change while packets flow: one stream a process follows the rule history and has one
 * engine serve it, for all subtasks of the classify operator.
 *
 * <pre>
 * broadcast --every message to every subtask--> RuleLedger: the first to bring number i hands it over
 *                                                   |
 *                                               RuleStream: its thread decodes, RuleLog follows
 *                                                   |
 *                                               RuleServing: a small change is applied at once,
 *                                                   |         anything else is built behind
 *                                               RuleServer: the engine
 *                                                   |
 * subtask <--mail: a newer version is there---- RuleLeases
 * </pre>
 *
 * <p>{@link dev.sluice.operators.rules.serving.VersionService} keeps the services of the process:
 * one for each attempt to run the operator, with counted users. A failed attempt's service ends by
 * itself and delays nobody. In processing time it is a {@link
 * dev.sluice.operators.rules.serving.RuleStream}, of which each subtask has a {@link
 * dev.sluice.operators.rules.serving.RuleLease}. In event time it is a {@link
 * dev.sluice.operators.rules.serving.SharedTimeline}, which serves any version of the history.
 *
 * <p>What the history says (the content) and what packets are judged by (the version in force) are
 * two things. The content always follows. A version that the engine cannot serve leaves the last
 * servable one in force, becomes a dead letter ({@link
 * dev.sluice.operators.rules.serving.RefusedVersion}), and the next servable one comes into force.
 *
 * <p>A stream is a state machine ({@link dev.sluice.operators.rules.serving.StreamPhase}):
 *
 * <pre>
 * phase      what is done                        until                                    then
 * RESTORING  takes what a checkpoint held        it holds rules of the topic              DECIDING
 *                                                it holds none, or the topic is another   READING
 * READING    the bootstrap reads the start       the start is reached                     DECIDING
 * DECIDING   makes the newest version ready      one is ready                             FOLLOWING
 *                                                none can be, and the bootstrap reads     SEARCHING
 *                                                none can be, and nothing reads           FOLLOWING
 * SEARCHING  the bootstrap reads on              a version is ready                       FOLLOWING
 * FOLLOWING  follows the broadcast               none can be served, and nothing was read READING
 * any        an error that no version causes                                              FAILED
 * any        the last lease has ended                                                     CLOSED
 * </pre>
 *
 * <p>Up to DECIDING the tasks are shown no version, since one on the way to the newest may be older
 * than what judged packets before a restart, and the broadcast waits.
 *
 * <p>Tasks' mailbox threads never decode rules, never build, and never wait for who does: they take
 * one short lock. Where no rules are in force yet, packets wait as keyed state. Beyond {@code
 * --waiting-bytes} a task takes no input, the broadcast of the rules included; so a {@link
 * dev.sluice.operators.rules.topic.RuleSource} reads the history beside the job until the first
 * rules are in force.
 */
@NullMarked
package dev.sluice.operators.rules.serving;

import org.jspecify.annotations.NullMarked;
