package dev.sluice.policy.cisco;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.HostZone;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Text of a router or switch: a configuration, or the output of {@code show access-lists}. Lines
 * that do not bear on lists are passed over; what a list holds never is.
 */
final class RouterText {
    /** Header of a list in the output of a command. */
    private static final Pattern SHOWN =
            Pattern.compile(
                    "(?i)(standard |extended |reflexive |role-based )?(ip|ipv4|ipv6|mac|arp) access[ -]list (\\S+)( .*)?");

    private static final Pattern GROUP_SHOWN =
            Pattern.compile("(?i)(?:v6-)?(network|service) object group (\\S+)");

    /** Words that begin commands below access-list, none of which is a list. */
    private static final Set<String> NO_LISTS =
            Set.of(
                    "resequence",
                    "log-update",
                    "logging",
                    "persistent",
                    "match-local-traffic",
                    "helper",
                    "role-based",
                    "cache",
                    "dynamic-extended",
                    "compiled",
                    "snmp");

    /** First words of lines of a list that decide about no packet. */
    private static final Set<String> SETTINGS =
            Set.of("statistics", "counters", "fragment-rules", "ignore", "hardware", "exit", "end");

    final Map<String, AccessList> lists = new LinkedHashMap<>();
    final BoundLists interfaces;
    final ObjectTable objects;

    private final RuleReading in;
    private final boolean skip;
    private @Nullable AccessList list;
    private @Nullable ObjectGroup group;
    private @Nullable TimeRange time;
    private boolean unread;
    private @Nullable String banner;
    private boolean summer;

    RouterText(CiscoDialect dialect, RuleReading in, boolean skip) {
        this.in = in;
        this.skip = skip;
        objects = new ObjectTable(dialect, in);
        interfaces = new BoundLists(in);
    }

    /** The name of a list by its IP version. */
    static String key(String list, boolean v6) {
        return (v6 ? "6 " : "4 ") + list;
    }

    /** Takes all lines; defects are reported. */
    void read(List<String> lines) throws IOException {
        int number = 0;
        for (String line : lines) {
            LineWords words = new LineWords(++number, line);
            try {
                if (banner != null) {
                    banner = line.contains(banner) ? null : banner;
                } else if (!words.atEnd() && !line.stripLeading().startsWith("!")) {
                    read(words);
                }
            } catch (RuleSyntaxException e) {
                if (skip) {
                    in.warn(number, "skipped: " + e.getMessage());
                } else {
                    in.defect(number, e);
                }
            }
        }
    }

    private void leave() {
        list = null;
        group = null;
        time = null;
        interfaces.leave();
        unread = false;
    }

    private void read(LineWords words) throws RuleSyntaxException {
        if (header(words.again()) || shown(words.again())) {
            return;
        }
        if (list != null && ofList(words, list)) {
            return;
        }
        ObjectGroup in = group;
        if (in != null && (words.isIndented() || isMember(words))) {
            member(in, words);
            return;
        }
        TimeRange range = time;
        if (range != null
                && (words.isIndented()
                        || words.peek().equals("absolute")
                        || words.peek().equals("periodic"))) {
            range.read(words);
            return;
        }
        if (unread && words.isIndented()) {
            return;
        }
        if (interfaces.bound(words)) {
            return;
        }
        if (!words.isIndented() && !interfaces.mayHave(words)) {
            leave();
            global(words);
        }
    }

    private static boolean isMember(LineWords words) {
        return words.peek().equals("host") || words.peek().equals("group-object");
    }

    private static void member(ObjectGroup in, LineWords words) {
        if (words.peek().equals("no")) {
            words.skip(1);
            String text = words.rest();
            in.members().removeIf(one -> one.text().equals(text));
        } else if (!words.peek().equals("exit")) {
            in.members().add(words.again());
        }
    }

    /** Takes a line that begins a list, group, time range or interface. */
    private boolean header(LineWords words) throws RuleSyntaxException {
        boolean no = words.take("no");
        if (words.take("access-list", 4)) {
            return numbered(words, no);
        }
        if (words.peek().matches("ip|ipv4|ipv6")
                && words.peek(1).length() > 3
                && "access-list".startsWith(words.peek(1))
                && !words.peek(2).equals("list")) {
            return named(words, no);
        }
        if (words.peek().matches("mac|arp|ethernet-services|ipx")
                && words.peek(1).equals("access-list")) {
            words.skip(2);
            unread(words, words.name());
            return true;
        }
        if (words.isIndented() && (list != null || group != null)) {
            return false;
        }
        if (words.take("object-group")) {
            return group(words);
        }
        if (!words.isIndented() && words.take("time-range", 6)) {
            leave();
            time = objects.time(words.name());
            return true;
        }
        if (words.take("interface", 3) && !words.atEnd()) {
            leave();
            interfaces.begin(words);
            return true;
        }
        return false;
    }

    private void unread(LineWords words, String which) {
        leave();
        unread = true;
        in.warn(
                words.line,
                "list %s is not read: it judges frames or other protocols than IP"
                        .formatted(which));
    }

    private boolean group(LineWords words) throws RuleSyntaxException {
        leave();
        String kind = words.next("a kind of group").toLowerCase(Locale.ROOT);
        if (kind.equals("ip") || kind.equals("ipv6") || kind.equals("ipv4")) {
            kind = words.next("address or port").toLowerCase(Locale.ROOT);
        }
        if (words.left() > 1 && (words.take("ipv4") || words.take("ipv6"))) {
            kind = "network";
        }
        kind =
                switch (kind) {
                    case "address", "v6-network" -> "network";
                    case "v6-service" -> "service";
                    default -> kind;
                };
        group = objects.group(kind, words.name(), words.line, words.rest());
        return true;
    }

    private boolean shown(LineWords words) throws RuleSyntaxException {
        Matcher shown = SHOWN.matcher(words.text());
        if (shown.matches()) {
            String protocol = shown.group(2).toLowerCase(Locale.ROOT);
            String kind =
                    shown.group(1) == null ? "" : shown.group(1).strip().toLowerCase(Locale.ROOT);
            if (!protocol.startsWith("ip")
                    || kind.equals("reflexive")
                    || kind.equals("role-based")) {
                unread(words, shown.group(3));
            } else {
                begin(shown.group(3), protocol.equals("ipv6"), kind.equals("standard"), words.line)
                                .shown =
                        true;
            }
            return true;
        }
        Matcher group = GROUP_SHOWN.matcher(words.text());
        if (group.matches()) {
            leave();
            String kind = group.group(1).toLowerCase(Locale.ROOT);
            this.group = objects.group(kind, group.group(2), words.line, "");
            return true;
        }
        return false;
    }

    private AccessList begin(String name, boolean v6, boolean standard, int line) {
        leave();
        AccessList of =
                lists.computeIfAbsent(
                        key(name, v6), none -> new AccessList(name, v6, standard, line));
        list = of;
        return of;
    }

    private boolean numbered(LineWords words, boolean no) throws RuleSyntaxException {
        if (!words.isNumber()) {
            leave();
            if (!NO_LISTS.contains(words.peek())) {
                words.next("a number");
                throw words.refused(
                        "is no number of a list; a list with a name begins with ip access-list");
            }
            return true;
        }
        int number = words.number(Integer.MAX_VALUE);
        boolean standard = number < 100 || number >= 1300 && number < 2000;
        boolean extended = number >= 100 && number < 200 || number >= 2000 && number < 2700;
        if (no && words.atEnd()) {
            leave();
            lists.remove(key("" + number, false));
            return true;
        }
        if (!standard && !extended) {
            unread(words, "" + number);
            return true;
        }
        AccessList of = begin("" + number, false, standard, 0);
        if (no) {
            of.remove(words);
        } else {
            entry(of, words);
        }
        list = null;
        return true;
    }

    private boolean named(LineWords words, boolean no) throws RuleSyntaxException {
        boolean v6 = words.next("").equalsIgnoreCase("ipv6");
        words.skip(1);
        if (NO_LISTS.contains(words.peek()) && words.left() > 1) {
            leave();
            return true;
        }
        boolean standard = false;
        if (words.left() > 1 && !isAction(words.peek(1)) && !words.peek(1).matches("[0-9]+")
                || words.left() == 2 && words.peek().matches("extended|standard|ext|std|stand")) {
            standard = words.take("standard", 3) || words.take("std");
            if (!standard) {
                words.take("extended", 3);
            }
        }
        String name = words.name();
        if (no && words.atEnd()) {
            leave();
            lists.remove(key(name, v6));
            return true;
        }
        AccessList of = begin(name, v6, standard, words.line);
        if (!words.atEnd()) { // one line of XR that is whole
            if (no) {
                of.remove(words);
            } else {
                entry(of, words);
            }
            list = null;
        }
        return true;
    }

    private static boolean isAction(String word) {
        return word.length() > 1
                && ("permit".startsWith(word) || "deny".startsWith(word) || word.equals("remark"));
    }

    /** Takes a line of the current list; returns whether it is one. */
    private boolean ofList(LineWords words, AccessList of) throws RuleSyntaxException {
        String first = words.peek();
        if (SETTINGS.contains(first)) {
            if (first.equals("exit") || first.equals("end")) {
                leave();
            }
            return true;
        }
        if (first.equals("no")) {
            if (!words.isIndented() && !words.peek(1).matches("[0-9]+|permit|deny|remark")) {
                return false;
            }
            words.skip(1);
            if (!SETTINGS.contains(words.peek()) && !words.peek().equals("remark")) {
                of.remove(words);
            }
            return true;
        }
        boolean begins =
                words.isNumber()
                        || isAction(first)
                        || Set.of("fragments", "evaluate", "dynamic", "sequence").contains(first);
        if (begins || words.isIndented()) {
            entry(of, words);
        }
        return begins || words.isIndented();
    }

    private void entry(AccessList of, LineWords words) throws RuleSyntaxException {
        long sequence = -1;
        words.take("sequence");
        if (words.isNumber() && words.left() > 1) {
            sequence = words.number(Integer.MAX_VALUE);
        }
        if (words.take("remark", 3)) {
            of.remark(words.rest());
        } else if (isAction(words.peek())) {
            long number = sequence(words, sequence);
            try {
                of.add(number, words.behind());
            } catch (RuleSyntaxException e) {
                skip(of, number, words);
                throw e;
            }
        } else if (words.takeAll("fragments", "permit-all")) {
            of.fragments(true);
        } else if (words.takeAll("fragments", "deny-all")) {
            of.fragments(false);
        } else {
            skip(of, sequence, words);
            words.next("permit, deny or remark");
            throw words.refused(
                    "begins no entry that Sluice reads; remove the line, or add --skip-unsupported",
                    "entry");
        }
    }

    private void skip(AccessList of, long sequence, LineWords words) {
        if (skip) {
            of.skip(sequence, words.behind());
        }
    }

    /** The number that IOS prints at the end of an entry of IPv6, or the one before it. */
    private static long sequence(LineWords words, long otherwise) throws RuleSyntaxException {
        LineWords rest = words.behind();
        while (!rest.atEnd()) {
            if (rest.take("sequence")) {
                return rest.number(Integer.MAX_VALUE);
            }
            rest.skip(1);
        }
        return otherwise;
    }

    private void global(LineWords words) throws RuleSyntaxException {
        if (words.takeAll("clock", "summer-time")) {
            summer = true;
            objects.clock(null);
        } else if (words.takeAll("clock", "timezone")) {
            clock(words);
        } else if (words.take("banner")) {
            words.skip(1);
            String text = words.rest();
            if (text.isEmpty()) {
                banner = "EOF";
                return;
            }
            String mark = text.startsWith("^C") ? "^C" : text.substring(0, 1);
            banner = text.indexOf(mark, mark.length()) < 0 ? mark : null;
        }
    }

    private void clock(LineWords words) throws RuleSyntaxException {
        String zone = words.name();
        HostZone known = null;
        if (words.peek().matches("-?[0-9]{1,2}")) {
            int hours = Integer.parseInt(words.next("hours"));
            int minutes = words.isNumber() ? words.number(59) : 0;
            if (Math.abs(hours) <= 14) {
                known =
                        new HostZone(
                                ZoneOffset.ofHoursMinutes(hours, hours < 0 ? -minutes : minutes));
            }
        } else {
            try {
                known = new HostZone(ZoneId.of(zone));
            } catch (DateTimeException e) {
                in.warn(words.line, zone + " is no time zone that Sluice knows; name it by --host");
            }
        }
        objects.clock(summer ? null : known);
    }
}
