package dev.sluice.job.cli;

import static java.util.stream.Collectors.toSet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.RuleEdit;
import dev.sluice.job.rules.RuleEdits;
import dev.sluice.job.rules.RuleListing;
import dev.sluice.job.rules.ServingCheck;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.Amount;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Publication of a version of the rules, with the options of the commands that publish one. */
final class RulePublication {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Mixin private JsonOption json = new JsonOption();

    @Option(
            names = "--effective",
            paramLabel = "TIME",
            converter = Times.Point.class,
            description =
                    "Event time from which the version is in force, not before that of the version before, as in 2026-11-22T14:00:00Z, or nanoseconds since 1970 (default: when it is committed).")
    private @Nullable Long effective;

    @Mixin private SnapshotOptions snapshots = new SnapshotOptions();

    @Mixin private TopicOptions topics = new TopicOptions(TopicOptions.Topic.RULES);

    /** The topic that the options name. */
    RulesTopic topic() {
        return new RulesTopic(topics, command.commandLine().getErr());
    }

    /**
     * Publishes, and deletes what is not kept.
     *
     * @param create whether the topic is made if it does not exist
     */
    int publish(RulesTopic topic, boolean create, Consumer<RulePublisher> work) {
        try (topic;
                RulePublisher publisher = topic.publisher(snapshots, create)) {
            work.accept(publisher);
            topic.trim(publisher);
            return 0;
        }
    }

    /**
     * Publishes an edit as a version of its own.
     *
     * @param options of the job's engine; null: nothing is estimated
     * @param adds whether it adds a rule; otherwise it removes one
     * @param edit makes the edit from the content that stands
     */
    int edit(@Nullable EngineOptions options, boolean adds, Function<RuleContent, RuleEdit> edit) {
        RulesTopic topic = topic();
        return publish(
                topic,
                false,
                publisher -> {
                    // Taken over first: by id the edit is right whatever was published before.
                    RuleSet before = topic.editable(publisher.takeOver(), "rules", RuleSet.DROP);
                    RuleContent content = new RuleContent(before.rules());
                    RuleEdits edits = new RuleEdits(content);
                    Rule rule = edits.apply(edit.apply(content));
                    RuleFile.requireWords("rules of topic " + topic.name(), content.rules());
                    if (options != null) {
                        new ServingCheck(options).estimate(rule, content.size());
                    }
                    RuleDelta delta = edits.take();
                    String action = before.defaultAction();
                    RulePublisher.Receipt receipt =
                            publisher.publish(
                                    List.of(
                                            RuleDraft.delta(
                                                    before.name(), action, effective, delta)),
                                    content);
                    String text = RuleListing.text(rule);
                    print(
                            told(topic, receipt, content.size(), adds ? 1 : 0, adds ? 0 : 1)
                                    .put("rule_id", rule.id())
                                    .put("rule", text),
                            "%s rule %d in version %d (%,d bytes): %s"
                                    .formatted(
                                            adds ? "added" : "removed",
                                            rule.id(),
                                            receipt.version(),
                                            receipt.bytes(),
                                            text));
                });
    }

    /**
     * Publishes the rules of another version in the place of the newest one, or says that they are
     * in force.
     *
     * @param create whether the topic is made if it does not exist
     * @param difference of the rules that stand, the first ones, from those of the version
     * @param words for the version
     */
    int replace(
            RulesTopic topic,
            boolean create,
            RuleSet version,
            BiFunction<RuleSet, RuleSet, RuleDelta> difference,
            String words) {
        return publish(
                topic,
                create,
                publisher -> {
                    RuleStanding base = publisher.look();
                    topic.requireKnown(base);
                    String action = version.defaultAction();
                    RuleSet before = base.rulesOr(version.name(), action);
                    RuleDelta delta = difference.apply(before, version);
                    String rules = "the rules of " + words;
                    if (!base.differs(delta, action)) {
                        String why = "version %d has %s".formatted(base.version(), rules);
                        publishNothing(topic, base, before, why);
                        return;
                    }
                    RuleContent content = new RuleContent(before.rules());
                    content.apply(delta);
                    RuleSet after =
                            RuleSet.of(version.name(), base.version() + 1, action, content.rules());
                    publishVersion(topic, publisher, base, before, delta, after, false, rules);
                });
    }

    /** Prints that nothing is published in the place of a version, and why. */
    void publishNothing(RulesTopic topic, RuleStanding base, RuleSet before, String why) {
        RulePublisher.Receipt none = new RulePublisher.Receipt(base.version(), 0, false);
        print(
                told(topic, none, before.deciding().size(), 0, 0).put("published", false),
                why + ": nothing published");
    }

    /**
     * Publishes a version in the place of the newest one, and prints that.
     *
     * @param base the newest version
     * @param delta the differences of the next version's rules
     * @param snapshot whether all rules are published, and not the differences
     * @param rules words for the rules
     */
    void publishVersion(
            RulesTopic topic,
            RulePublisher publisher,
            RuleStanding base,
            RuleSet before,
            RuleDelta delta,
            RuleSet after,
            boolean snapshot,
            String rules) {
        publisher.takeOver(base);
        String name = after.name();
        String action = after.defaultAction();
        RuleDraft draft =
                snapshot || !base.whole()
                        ? RuleDraft.snapshot(name, action, effective, after.rules())
                        : RuleDraft.delta(name, action, effective, delta);
        RulePublisher.Receipt receipt = publisher.publish(List.of(draft), after::rules);
        int put = delta.inserts().size();
        int removed = delta.removes().size();
        String records = "";
        if (before.isPolicy() || after.isPolicy()) {
            records = " (%s)".formatted(Amount.of(put + removed, "record"));
            put = among(after, delta.inserts().stream().map(Rule::id));
            removed = among(before, delta.removes().stream());
        }
        print(
                told(topic, receipt, after.deciding().size(), put, removed),
                "%s published to %s as version %d: %,d put, %,d removed%s%s, %,d bytes%s"
                        .formatted(
                                rules,
                                topic.name(),
                                receipt.version(),
                                put,
                                removed,
                                records,
                                RuleListing.ofDefaultAction(before.defaultAction(), action),
                                receipt.bytes(),
                                receipt.snapshot() ? ", with a snapshot" : ""));
    }

    /** Number of ids that are of rules that decide. */
    private static int among(RuleSet rules, Stream<Long> ids) {
        Set<Long> deciding = rules.deciding().rules().stream().map(Rule::id).collect(toSet());
        return (int) ids.filter(deciding::contains).count();
    }

    /** Publication of a version with so many rules, as JSON. */
    private static ObjectNode told(
            RulesTopic topic, RulePublisher.Receipt receipt, int rules, int put, int removed) {
        return JsonOption.object()
                .put("topic", topic.name())
                .put("published", true)
                .put("version", receipt.version())
                .put("rules", rules)
                .put("put", put)
                .put("removed", removed)
                .put("bytes", receipt.bytes())
                .put("snapshot", receipt.snapshot());
    }

    private void print(ObjectNode object, String line) {
        json.print(command.commandLine().getOut(), object, line);
    }
}
