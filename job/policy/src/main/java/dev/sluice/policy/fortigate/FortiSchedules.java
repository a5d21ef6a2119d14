package dev.sluice.policy.fortigate;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.ConfigNode;
import dev.sluice.policy.appliance.FirewallRules;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.HostZone;
import dev.sluice.policy.model.Period;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Schedules of policies: recurring ones, those of one time, and groups of both. */
final class FortiSchedules {
    private static final List<String> DAYS =
            List.of("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday");

    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("HH:mm yyyy/MM/dd");

    private final RuleReading in;
    private final ConfigNode scope;

    FortiSchedules(RuleReading in, ConfigNode scope) {
        this.in = in;
        this.scope = scope;
    }

    /** The condition that it is the time of a schedule. */
    Condition of(ConfigNode name) throws RuleSyntaxException {
        ConfigNode group = scope.at("firewall schedule group").child(name.name());
        if (group == null) {
            return single(name);
        }
        List<Condition> any = new ArrayList<>();
        for (ConfigNode member : group.values("member")) {
            any.add(single(member));
        }
        return FirewallRules.anyOf(any);
    }

    private Condition single(ConfigNode name) throws RuleSyntaxException {
        ConfigNode recurring = scope.at("firewall schedule recurring").child(name.name());
        ConfigNode once = scope.at("firewall schedule onetime").child(name.name());
        String words = "schedule " + name.name();
        if (name.name().equals("always") && once == null) {
            return Condition.ALWAYS;
        }
        if (name.name().equals("none") && once == null) {
            return Condition.NEVER;
        }
        HostZone zone = in.zone();
        if (zone == null) {
            return new Condition.Unknown(words);
        }
        if (recurring != null) {
            int start = second(recurring, "start");
            int end = second(recurring, "end");
            int days = 0;
            for (ConfigNode day : recurring.values("day")) {
                int number = DAYS.indexOf(day.name());
                if (number < 0 && !day.name().equals("none")) {
                    throw day.refused("is no day of the week; write monday to sunday");
                }
                days |= number < 0 ? 0 : 2 << number;
            }
            int week = days;
            int stop = start == end ? Period.DAY_END : Math.floorMod(end - 1, Period.DAY_END + 1);
            int from = start == end ? 0 : start;
            return zone.byClock(
                    words,
                    offset -> {
                        Period all = Period.weekly(week, offset);
                        return new Condition.Within(
                                new Period(
                                        all.first(),
                                        all.last(),
                                        from,
                                        stop,
                                        week,
                                        Period.MONTH,
                                        true,
                                        offset),
                                words);
                    });
        }
        if (once == null) {
            return new Condition.Unknown(words);
        }
        OptionalLong first = date(zone, once, "start");
        OptionalLong last = date(zone, once, "end");
        return first.isEmpty() || last.isEmpty()
                ? new Condition.Unknown(words)
                : new Condition.Within(
                        Period.seconds(first.getAsLong(), last.getAsLong() - 1), words);
    }

    private static int second(ConfigNode schedule, String setting) throws RuleSyntaxException {
        ConfigNode of = schedule.child(setting);
        if (of == null) {
            return 0;
        }
        ConfigNode value = of.only();
        try {
            return LocalTime.parse(value.name()).toSecondOfDay();
        } catch (DateTimeException e) {
            throw value.refused("is no time of day; write one as in 17:00");
        }
    }

    private static OptionalLong date(HostZone zone, ConfigNode schedule, String setting)
            throws RuleSyntaxException {
        ConfigNode of = schedule.child(setting);
        if (of == null) {
            return OptionalLong.empty();
        }
        List<String> words = of.children().stream().map(ConfigNode::name).toList();
        try {
            return zone.second(LocalDateTime.parse(String.join(" ", words), DATE));
        } catch (DateTimeException e) {
            throw of.refused("is no date; write one as in 17:00 2026/11/28");
        }
    }
}
