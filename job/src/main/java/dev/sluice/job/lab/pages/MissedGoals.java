package dev.sluice.job.lab.pages;

import java.util.List;

/** The goals that were missed, or met only in part. */
final class MissedGoals {
    private MissedGoals() {}

    static String table(RawFiles raw) {
        NotedCsv goals = raw.csv("goals.csv");
        int met = goals.heads().indexOf("met");
        MarkdownTable table = new MarkdownTable(goals.heads().subList(0, met));
        for (List<String> goal : goals.rows()) {
            if (!goal.get(met).equals("yes")) {
                table.row(goal.subList(0, met));
            }
        }
        return table.text();
    }
}
