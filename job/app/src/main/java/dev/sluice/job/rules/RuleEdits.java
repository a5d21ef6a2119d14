package dev.sluice.job.rules;

import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.job.rules.RuleEdit.Position;
import dev.sluice.policy.RuleFormat;
import dev.sluice.policy.RuleText;
import dev.sluice.policy.io.SluiceException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries out edits on a content and collects them for one transaction. Not thread-safe.
 *
 * <p>Rules that are added stand in no file: they have no line, and the lines of others stay.
 */
public final class RuleEdits {
    private final RuleContent content;
    private final Map<Long, Rule> inserts = new LinkedHashMap<>();
    private final Set<Long> removes = new LinkedHashSet<>();

    /** Format that rules are written in; null if nothing says it. */
    private @Nullable RuleFormat format;

    /** Ids that were not there before the transaction. */
    private final Set<Long> fresh = new HashSet<>();

    private int count;

    /** Edits of a content. */
    public RuleEdits(RuleContent content) {
        this.content = content;
    }

    /**
     * Carries out an edit.
     *
     * @return the rule that was added, removed or changed, as it is or was
     * @throws SluiceException if it names a rule that there is not, or a place that there cannot
     *     be, or brings a rule of another format than those that are there; nothing is changed then
     */
    public Rule apply(RuleEdit edit) {
        Rule done;
        if (edit instanceof RuleEdit.Add add) {
            requireFormat(add.rule());
            done = add(add.rule(), add.position());
        } else if (edit instanceof RuleEdit.Remove remove) {
            done = content.find(remove.rule());
            remove(done);
        } else {
            RuleEdit.Change change = (RuleEdit.Change) edit;
            requireFormat(change.to());
            done = change(content.find(change.rule()), change.to());
        }
        count++;
        return done;
    }

    /** Priorities of one format say nothing about the order of rules of the other. */
    private void requireFormat(Rule rule) {
        if (format == null) {
            format = content.format();
        }
        RuleFormat wanted = format;
        RuleFormat written = RuleText.format(rule.text());
        if (content.size() > 0 && wanted != null && wanted != written) {
            throw new SluiceException(
                    "the rule is of %s, those that are there are of %s; write it as in '%s', or publish a file of %s"
                            .formatted(
                                    written.title(),
                                    wanted.title(),
                                    wanted.example(),
                                    written.title()));
        }
        format = written;
    }

    private Rule add(Rule rule, Position position) {
        Place place = content.free(rule.priority(), position);
        long id = RuleIds.first(rule.match(), rule.action());
        while (content.get(id) != null) {
            id = RuleIds.after(id);
        }
        Rule added = rule.withId(id).at(place);
        if (!removes.remove(id)) {
            fresh.add(id);
        }
        put(added);
        return added;
    }

    private void remove(Rule rule) {
        content.remove(rule.id());
        inserts.remove(rule.id());
        if (!fresh.remove(rule.id())) {
            removes.add(rule.id());
        }
    }

    private Rule change(Rule rule, Rule to) {
        Place place =
                to.priority() == rule.priority()
                        ? rule.place()
                        : content.free(to.priority(), Position.LAST);
        boolean onlyAction = to.priority() == rule.priority() && to.match().equals(rule.match());
        Rule changed = to.withId(rule.id()).at(place).onLine(onlyAction ? rule.line() : 0);
        put(changed);
        return changed;
    }

    private void put(Rule rule) {
        content.put(rule);
        inserts.put(rule.id(), rule);
    }

    /** Edits since the last transaction was taken. */
    public int count() {
        return count;
    }

    /** Takes the delta of the edits since the last call. */
    public RuleDelta take() {
        RuleDelta delta = new RuleDelta(List.copyOf(removes), new ArrayList<>(inserts.values()));
        inserts.clear();
        removes.clear();
        fresh.clear();
        count = 0;
        return delta;
    }
}
