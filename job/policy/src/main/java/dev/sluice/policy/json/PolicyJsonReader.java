package dev.sluice.policy.json;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Counters;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reader of a document of policies. */
final class PolicyJsonReader {
    private static final long MOST_BITS = 0xffffffffL;
    private static final int MOST_LINE = 999_999_999;

    private final @Nullable Consumer<YamlException> skipped;

    /**
     * A reader.
     *
     * @param skipped takes what is not understood of a rule that is skipped; null: it is refused
     */
    PolicyJsonReader(@Nullable Consumer<YamlException> skipped) {
        this.skipped = skipped;
    }

    /** The policies of a document, by name. */
    Map<String, Policy> policies(YamlNode document) throws YamlException {
        YamlFields fields = YamlFields.of(document);
        Integer version = fields.number(PolicyJsonWriter.VERSION_MEMBER, 0, MOST_LINE);
        if (version == null || version != PolicyJsonWriter.VERSION) {
            throw fields.at()
                    .refused(
                            String.valueOf(version),
                            "is no version of this form that is known; convert the policy again");
        }
        Map<String, Policy> policies = new LinkedHashMap<>();
        for (YamlNode node : fields.require("policies").values()) {
            Policy policy = policy(YamlFields.of(node));
            if (policies.put(policy.name(), policy) != null) {
                throw node.at().refused(policy.name(), "is there twice; name one otherwise");
            }
        }
        fields.requireNoMore("a document of policies");
        return policies;
    }

    private Policy policy(YamlFields fields) throws YamlException {
        String name = fields.requireString("name");
        Condition judges = condition(fields, "judges", Condition.ALWAYS);
        List<Stage> stages = new ArrayList<>();
        for (YamlNode node : fields.require("stages").values()) {
            stages.add(stage(YamlFields.of(node)));
        }
        YamlFields untracked = fields.fields("untracked");
        Stage exempting = untracked == null ? null : stage(untracked);
        fields.requireNoMore("a policy");
        if (stages.isEmpty()) {
            throw fields.at().refused(name, "has no stage; write one into stages");
        }
        return new Policy(name, judges, stages, exempting);
    }

    private static Condition condition(YamlFields fields, String key, Condition usual)
            throws YamlException {
        YamlNode node = fields.take(key);
        return node == null ? usual : JsonConditions.read(node);
    }

    private Stage stage(YamlFields fields) throws YamlException {
        String name = fields.requireString("name");
        String base = fields.requireString("base");
        Condition judges = condition(fields, "judges", Condition.ALWAYS);
        YamlFields sees = YamlFields.of(fields.require("sees"));
        Vantage vantage =
                new Vantage(
                        sees.flag("in_interface"),
                        sees.flag("out_interface"),
                        sees.flag("forwarded"),
                        condition(sees, "reassembled", Condition.NEVER),
                        JsonWords.of(Vantage.States.class, sees.require("states")),
                        null,
                        marks(sees));
        sees.requireNoMore("sees");
        List<PolicyRule> end = rules(YamlFields.of(fields.require("end")), base, null);
        if (!end.get(0).condition().equals(Condition.ALWAYS)) {
            throw fields.at()
                    .refused(
                            "end",
                            "has a condition, yet decides about all packets; write a rule into the base chain");
        }
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        YamlNode.Mapping all =
                fields.require("chains") instanceof YamlNode.Mapping map ? map : null;
        if (all == null) {
            throw fields.at()
                    .refused("chains", "is no object; write a list of rules for each name");
        }
        for (YamlNode.Entry chain : all.entries()) {
            List<PolicyRule> rules = new ArrayList<>();
            for (YamlNode rule : chain.value().values()) {
                rules.addAll(rules(YamlFields.of(rule), chain.key().text(), skipped));
            }
            chains.put(chain.key().text(), rules);
        }
        List<Stage> before = new ArrayList<>();
        YamlNode setting = fields.take("before");
        for (YamlNode node : setting == null ? List.<YamlNode>of() : setting.values()) {
            before.add(stage(YamlFields.of(node)));
        }
        fields.requireNoMore("a stage");
        try {
            return new Stage(name, base, chains, end.get(0), vantage, judges, before);
        } catch (IllegalArgumentException e) {
            throw fields.at().refused(name, String.valueOf(e.getMessage()));
        }
    }

    /** A rule; of one that is not understood and skipped, two that nobody knows to hold. */
    private static List<PolicyRule> rules(
            YamlFields fields, String chain, @Nullable Consumer<YamlException> skipped)
            throws YamlException {
        Origin origin = origin(fields, chain);
        String action = fields.string("action");
        try {
            Effect effect = effect(fields);
            Condition condition = condition(fields, "condition", Condition.ALWAYS);
            fields.requireNoMore("a rule");
            return List.of(
                    new PolicyRule(
                            origin,
                            condition,
                            effect,
                            action == null ? fields.requireString("outcome") : action));
        } catch (YamlException e) {
            if (skipped == null) {
                throw e;
            }
            skipped.accept(e);
            Condition unknown = new Condition.Unknown("skipped: a rule");
            return List.of(
                    new PolicyRule(origin, unknown, new Effect.Decide(Outcome.PERMIT), "skipped"),
                    new PolicyRule(origin, unknown, new Effect.Decide(Outcome.DENY), "skipped"));
        }
    }

    private static Origin origin(YamlFields fields, String chain) throws YamlException {
        String file = fields.string("file");
        Integer line = fields.number("line", 0, MOST_LINE);
        String own = fields.string("chain");
        String text = fields.string("text");
        Long packets = count(fields, "packets");
        Long bytes = count(fields, "bytes");
        return new Origin(
                file == null ? fields.at().file() : file,
                line == null ? fields.at().line() : line,
                own == null ? chain : own,
                Objects.requireNonNullElse(fields.string("comment"), ""),
                text == null ? fields.words() : text,
                packets == null || bytes == null ? null : new Counters(packets, bytes));
    }

    private static @Nullable Long count(YamlFields fields, String key) throws YamlException {
        YamlNode node = fields.take(key);
        if (node == null) {
            return null;
        }
        String digits = node instanceof YamlNode.Scalar scalar ? scalar.text() : node.words();
        if (!digits.matches("[0-9]{1,18}")) {
            throw node.at().refused(digits, "is no count; write a whole number");
        }
        return Long.valueOf(digits);
    }

    private static Effect mark(YamlFields fields) throws YamlException {
        return new Effect.Mark(bits(fields, "mask"), bits(fields, "flipped"), bits(fields, "lost"));
    }

    /** The knowledge of marks as a packet comes to a stage. */
    private static MarkState marks(YamlFields sees) throws YamlException {
        YamlNode node = sees.take("marks");
        if (node == null) {
            return MarkState.OLD;
        }
        YamlFields marks = YamlFields.of(node);
        MarkState state =
                new MarkState(
                        bits(marks, "known"),
                        bits(marks, "bits"),
                        bits(marks, "lost"),
                        bits(marks, "of_nat"));
        marks.requireNoMore("marks");
        return state;
    }

    /** The 32 bits of a member. */
    private static int bits(YamlFields fields, String key) throws YamlException {
        Long number = count(fields, key);
        if (number == null || number > MOST_BITS) {
            throw fields.at().refused(key, "is no member of 32 bits here; write a whole number");
        }
        return number.intValue();
    }

    private static Effect effect(YamlFields fields) throws YamlException {
        YamlNode node = fields.require("outcome");
        return switch (node.string()) {
            case "permit" -> new Effect.Decide(Outcome.PERMIT);
            case "deny" -> new Effect.Decide(Outcome.DENY);
            case "jump" -> new Effect.Jump(fields.requireString("to"));
            case "goto" -> new Effect.Goto(fields.requireString("to"));
            case "return" -> new Effect.Return();
            case "mark" -> mark(fields);
            case "continue" -> new Effect.Continue();
            default ->
                    throw node.at()
                            .refused(
                                    node.string(),
                                    "is no outcome; write permit, deny, jump, goto, return, mark or continue");
        };
    }
}
