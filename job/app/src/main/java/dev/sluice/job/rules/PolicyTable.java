package dev.sluice.job.rules;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.TableColumn;
import dev.sluice.policy.model.ConditionText;
import dev.sluice.policy.model.Counters;
import dev.sluice.policy.model.PolicyRule;
import java.util.List;

/** Rules of a policy as rows: each in its own words, and as it was understood. */
public final class PolicyTable {
    private static final int LONGEST_CONDITION = 60;

    private static final List<TableColumn<PolicyRule>> COLUMNS =
            List.of(
                    TableColumn.of("line", rule -> String.valueOf(rule.origin().line())),
                    TableColumn.of("chain", rule -> rule.origin().chain()),
                    TableColumn.of("action", PolicyRule::action),
                    TableColumn.of("packets", PolicyTable::packets),
                    new TableColumn<>(
                            "condition",
                            LONGEST_CONDITION,
                            rule -> ConditionText.of(rule.condition())),
                    TableColumn.of("rule", rule -> rule.origin().text()));

    /** Rows of rules. */
    public static final RowForm<PolicyRule> RULES =
            new RowForm<>(COLUMNS, COLUMNS, PolicyTable::fields);

    private PolicyTable() {}

    private static String packets(PolicyRule rule) {
        Counters counters = rule.origin().counters();
        return counters == null ? "" : String.valueOf(counters.packets());
    }

    private static ObjectNode fields(PolicyRule rule) {
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        fields.put("line", rule.origin().line());
        fields.put("chain", rule.origin().chain());
        fields.put("action", rule.action());
        fields.put("condition", ConditionText.of(rule.condition()));
        fields.put("text", rule.origin().text());
        if (!rule.origin().comment().isEmpty()) {
            fields.put("comment", rule.origin().comment());
        }
        Counters counters = rule.origin().counters();
        if (counters != null) {
            fields.put("packets", counters.packets());
            fields.put("bytes", counters.bytes());
        }
        return fields;
    }
}
