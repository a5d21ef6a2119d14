package dev.sluice.job.explain;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.policy.explain.Explanation;
import dev.sluice.policy.explain.Explanation.Met;
import dev.sluice.policy.explain.Explanation.Passed;
import dev.sluice.policy.explain.Explanation.Way;
import dev.sluice.policy.explain.Need;
import dev.sluice.policy.explain.WhyNot;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Explanations as JSON: the members that {@code docs/json.md} lists. */
public final class ExplanationJson {
    private ExplanationJson() {}

    /**
     * An explanation.
     *
     * @param whyNot the answer to {@code --why-not}; null: nobody asked
     */
    public static ObjectNode of(Explanation of, @Nullable WhyNot whyNot) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        Line rule = of.rule();
        object.put("packet", of.packet());
        object.put("outcome", outcome(of));
        object.put("action", of.action());
        object.put("line", number(rule));
        object.put("rule", rule == null ? null : rule.text().strip());
        object.put("sure", of.sure());
        ArrayNode ways = object.putArray("ways");
        for (Way way : of.ways()) {
            ObjectNode one = ways.addObject();
            one.put("policy", way.policy());
            way.states().forEach(one.putArray("states")::add);
            one.put("certain", way.certain());
            ArrayNode stages = one.putArray("stages");
            way.stages().forEach(stage -> add(stages.addObject(), stage));
        }
        add(object.putArray("needs"), of.needs());
        object.set("why_not", whyNot == null ? null : of(whyNot));
        return object;
    }

    private static @Nullable String outcome(Explanation of) {
        boolean judged = !of.action().equals(FlatPolicy.NOT_JUDGED);
        return of.outcome() != null ? of.outcome().label() : judged ? null : of.action();
    }

    private static @Nullable Integer number(@Nullable Line line) {
        return line == null ? null : line.known();
    }

    private static void add(ObjectNode object, Passed stage) {
        object.put("stage", stage.stage());
        addNumbers(object.putArray("deciding"), stage.deciding());
        ArrayNode rules = object.putArray("rules");
        for (Met met : stage.met()) {
            Line line = met.line();
            ObjectNode one = rules.addObject();
            one.put("line", number(line));
            one.put("chain", met.chain());
            one.put("rule", line == null ? null : line.text().strip());
            one.put("acts", met.acts());
            one.put("effect", met.effect());
            one.put("certain", met.certain());
            one.put("near", met.isNear());
            add(one.putArray("needs"), met.needs());
            met.unknown().forEach(one.putArray("unknown")::add);
        }
    }

    private static void add(ArrayNode array, List<Need> needs) {
        for (Need need : needs) {
            array.addObject()
                    .put("field", need.field())
                    .put("has", need.has())
                    .put("wants", need.wants());
        }
    }

    private static void addNumbers(ArrayNode array, List<Line> lines) {
        lines.forEach(line -> array.add(number(line)));
    }

    private static ObjectNode of(WhyNot of) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("line", of.line().known());
        object.put("rule", of.line().text().strip());
        object.put("answer", of.kind().name().toLowerCase(Locale.ROOT));
        add(object.putArray("needs"), of.needs());
        addNumbers(object.putArray("before"), of.before());
        object.put("packet", of.packet().isEmpty() ? null : of.packet());
        add(object.putArray("changes"), of.changes());
        of.depends().forEach(object.putArray("depends")::add);
        return object;
    }
}
