package dev.sluice.policy.kubernetes;

import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.policy.yaml.YamlPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Selector of labels: all requirements must hold. An empty one selects everything. */
record LabelSelector(YamlPosition at, List<Requirement> requirements) {
    /** Requirement on the value of a label. */
    record Requirement(String key, Operator operator, Set<String> values) {
        boolean holds(Map<String, String> labels) {
            String value = labels.get(key);
            return switch (operator) {
                case IN -> value != null && values.contains(value);
                case NOT_IN -> value == null || !values.contains(value);
                case EXISTS -> value != null;
                case DOES_NOT_EXIST -> value == null;
            };
        }
    }

    /** Operators, by the words of matchExpressions. */
    enum Operator {
        IN("In"),
        NOT_IN("NotIn"),
        EXISTS("Exists"),
        DOES_NOT_EXIST("DoesNotExist");

        private final String word;

        Operator(String word) {
            this.word = word;
        }
    }

    /** Reads a selector with matchLabels and matchExpressions. */
    static LabelSelector of(YamlNode node) throws YamlException {
        YamlFields fields = YamlFields.of(node);
        List<Requirement> all = new ArrayList<>();
        fields.strings("matchLabels")
                .forEach((key, value) -> all.add(new Requirement(key, Operator.IN, Set.of(value))));
        for (YamlNode each : fields.list("matchExpressions")) {
            all.add(requirement(YamlFields.of(each)));
        }
        fields.requireNoMore("a label selector");
        return new LabelSelector(node.at(), List.copyOf(all));
    }

    private static Requirement requirement(YamlFields fields) throws YamlException {
        String key = fields.requireString("key");
        YamlNode word = fields.require("operator");
        Operator operator = null;
        for (Operator each : Operator.values()) {
            operator = each.word.equals(word.string()) ? each : operator;
        }
        if (operator == null) {
            throw word.at()
                    .refused(
                            word.string(),
                            "is no operator; write In, NotIn, Exists or DoesNotExist");
        }
        Set<String> values = new TreeSet<>();
        for (YamlNode value : fields.list("values")) {
            values.add(value.string());
        }
        boolean ofValues = operator == Operator.IN || operator == Operator.NOT_IN;
        if (ofValues == values.isEmpty()) {
            throw fields.at()
                    .refused(
                            fields.words(),
                            ofValues
                                    ? "needs values; list at least one"
                                    : "takes no values; leave them out");
        }
        fields.requireNoMore("a requirement of a label selector");
        return new Requirement(key, operator, values);
    }

    boolean matches(Map<String, String> labels) {
        return requirements.stream().allMatch(each -> each.holds(labels));
    }
}
