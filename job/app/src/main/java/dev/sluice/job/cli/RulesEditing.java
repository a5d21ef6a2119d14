package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.Rule;
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
import dev.sluice.policy.io.SluiceException;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Publication of one edit as a version of its own. */
record RulesEditing(CommandSpec spec, TopicOptions topics, RulePublishOptions publish) {
    /**
     * Publishes an edit.
     *
     * @param options of the job's engine; null: nothing is estimated
     * @param done what was done with the rule, as in "added"
     * @param edit makes the edit from the content that stands
     */
    int publish(
            @Nullable EngineOptions options, String done, Function<RuleContent, RuleEdit> edit) {
        PrintWriter err = spec.commandLine().getErr();
        RulesTopic topic = new RulesTopic(topics, err);
        try (RulesTopic.Bar bar = topic.bar();
                RulePublisher publisher = topic.publisher(publish.snapshots, false, bar)) {
            // Taken over first: by id the edit is right whatever was published before.
            RuleStanding base = publisher.takeOver();
            requireKnown(base, topic.name());
            RuleSet before = rules(base, "rules", RuleSet.DROP);
            requireSingle(before, topic.name());
            RuleContent content = new RuleContent(before.rules());
            RuleEdits edits = new RuleEdits(content);
            Rule rule = edits.apply(edit.apply(content));
            RuleFile.requireWords("rules of topic " + topic.name(), content.rules());
            if (options != null) {
                new ServingCheck(options).estimate(rule, content.size());
            }
            RulePublisher.Receipt receipt =
                    publisher.publish(
                            List.of(
                                    RuleDraft.delta(
                                            before.name(),
                                            before.defaultAction(),
                                            publish.effective,
                                            edits.take())),
                            content);
            boolean added = done.equals("added");
            publish.print(
                    spec.commandLine().getOut(),
                    RulePublishOptions.told(
                                    topic.name(),
                                    receipt,
                                    receipt.version(),
                                    content.size(),
                                    added ? 1 : 0,
                                    added ? 0 : 1)
                            .put("rule_id", rule.id())
                            .put("rule", RuleListing.text(rule)),
                    "%s rule %d in version %d (%,d bytes): %s"
                            .formatted(
                                    done,
                                    rule.id(),
                                    receipt.version(),
                                    receipt.bytes(),
                                    RuleListing.text(rule)));
            topic.trim(publisher);
            return 0;
        }
    }

    /** The newest rules; an empty set of this name where a topic has none. */
    static RuleSet rules(RuleStanding base, String name, String defaultAction) {
        RuleSet rules = base.rules();
        return rules == null ? RuleSet.of(name, 0, defaultAction, List.of()) : rules;
    }

    /** Fails if the rules are parts of a policy, which follow from its file. */
    static void requireSingle(RuleSet rules, String topic) {
        if (rules.isPolicy()) {
            throw new SluiceException(
                    "topic %s holds the policy %s, of which no line is changed by itself; edit its file and publish that with sluice rules publish --rules FILE#CHAIN"
                            .formatted(topic, rules.name()));
        }
    }

    /** Fails if there are rules in the topic that nobody can know any more. */
    static void requireKnown(RuleStanding base, String topic) {
        if (base.lost()) {
            throw new SluiceException(
                    ("the rules of topic %s were deleted up to offset %d, so there is nothing to change;"
                                    + " publish all of them with sluice rules publish --rules FILE")
                            .formatted(topic, base.start()));
        }
    }
}
