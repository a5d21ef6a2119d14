package dev.sluice.policy.cisco;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Text of an ASA: a configuration, or the output of {@code show access-list}. */
final class AsaText {
    private static final int INSIDE = 100;

    /** Kinds of lists that judge no packet on its way through the device. */
    private static final Set<String> OTHERS =
            Set.of("standard", "ethertype", "webtype", "alert-interval", "deny-flow-max");

    /** Interface with a name, its line and its security level. */
    record Side(String name, int line, int level) {}

    /** List at an interface; {@code at} is empty for the list of all interfaces. */
    record Place(String at, boolean in, String list, LineWords words) {}

    final Map<String, AccessList> lists = new LinkedHashMap<>();
    final Map<String, Side> sides = new LinkedHashMap<>();
    final Map<String, Place> places = new LinkedHashMap<>();
    final ObjectTable objects;

    /** Truth of holding a whole configuration. */
    boolean whole;

    boolean inspectsIcmp;
    boolean bypasses;
    int interLine;
    int intraLine;

    private final RuleReading in;
    private final boolean skip;
    private @Nullable ObjectGroup group;
    private @Nullable TimeRange time;
    private @Nullable Side side;
    private boolean ofInterface;
    private String last = "";
    private boolean expanded;
    private boolean translates;

    AsaText(RuleReading in, boolean skip) {
        this.in = in;
        this.skip = skip;
        objects = new ObjectTable(CiscoDialect.ASA, in);
    }

    /** Takes all lines; defects are reported. */
    void read(List<String> lines) {
        int number = 0;
        for (String line : lines) {
            LineWords words = new LineWords(++number, line);
            try {
                if (!words.atEnd() && !line.stripLeading().startsWith("!")) {
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

    private void read(LineWords words) throws RuleSyntaxException {
        if (words.peek().equals("access-list")) {
            words.skip(1);
            list(words);
            return;
        }
        if (words.isIndented() || words.peek(1).isEmpty() && group == null) {
            inner(words);
            return;
        }
        boolean member = words.peek().endsWith("-object") || words.peek().equals("group-object");
        if (group != null && member) {
            group.members().add(words.again());
            return;
        }
        group = null;
        time = null;
        ofInterface = false;
        global(words);
    }

    private void inner(LineWords words) throws RuleSyntaxException {
        if (group != null) {
            group.members().add(words.again());
        } else if (time != null) {
            time.read(words);
        } else if (ofInterface && words.take("nameif")) {
            String named = words.name();
            int level = named.equalsIgnoreCase("inside") ? INSIDE : 0;
            side = new Side(named, words.line, level);
            sides.put(named, side);
        } else if (ofInterface && side != null && words.take("security-level")) {
            side = new Side(side.name, words.line, words.number(INSIDE));
            sides.put(side.name, side);
        } else if (words.takeAll("inspect", "icmp")) {
            inspectsIcmp = true;
        } else if (words.text().contains("tcp-state-bypass")) {
            bypasses = true;
        }
    }

    private void global(LineWords words) throws RuleSyntaxException {
        boolean no = words.take("no");
        if (words.takeAll("asa", "version") || words.takeAll("pix", "version")) {
            whole = true;
        } else if (words.take("name") && words.left() > 1) {
            String address = words.name();
            objects.name(address, words.name());
        } else if (words.take("interface")) {
            ofInterface = true;
            side = null;
        } else if (words.take("object") || words.take("object-group")) {
            words.take("group");
            String kind = words.next("a kind of object").toLowerCase(Locale.ROOT);
            group = objects.group(kind, words.name(), words.line, words.rest());
        } else if (words.take("time-range")) {
            time = objects.time(words.name());
        } else if (words.takeAll("same-security-traffic", "permit")) {
            boolean inter = words.take("inter-interface");
            interLine = inter && !no ? words.line : interLine;
            intraLine = !inter && !no ? words.line : intraLine;
        } else if (no && words.takeAll("access-list")) {
            AccessList of = of(words.name());
            if (skip) {
                of.skip(0, words.behind());
            }
            throw words.refused("loses entries here; write the list as it is at the end");
        } else if (words.takeAll("clear", "configure")) {
            lists.remove(words.takeAll("access-list") && !words.atEnd() ? words.name() : "");
        } else if (words.take("access-group")) {
            place(words, no);
        } else if (words.takeAll("clock", "summer-time")) {
            objects.clock(null);
        } else if ((words.take("nat") || words.take("static")) && !no && !translates) {
            translates = true;
            in.warn(
                    words.line,
                    "addresses are translated, which Sluice does not follow: lists see real addresses; take captures behind the translation");
        }
    }

    private void place(LineWords words, boolean no) throws RuleSyntaxException {
        LineWords line = words.again();
        String list = words.name();
        String direction = words.next("in, out or global").toLowerCase(Locale.ROOT);
        String at = "";
        if (!direction.equals("global")) {
            if (!direction.matches("in|out") || !words.take("interface")) {
                throw words.refused("stands where a side should; write in interface NAME");
            }
            at = words.name();
        }
        if (words.take("control-plane")) {
            in.warn(line.line, "judges packets to the device itself, which Sluice leaves out");
            return;
        }
        String key = direction + " " + at;
        if (no) {
            places.remove(key);
        } else {
            places.put(key, new Place(at, !direction.equals("out"), list, line)); // the last counts
        }
    }

    /** Takes a line behind {@code access-list}. */
    private void list(LineWords words) throws RuleSyntaxException {
        boolean nested = words.isIndented() && words.peek(1).equals("line");
        if (!nested) {
            group = null;
            time = null;
            ofInterface = false;
        }
        String named = words.name();
        if (named.endsWith(";") || named.equals("cached") || OTHERS.contains(named)) {
            return; // the head of a listing
        }
        long line = words.take("line") ? words.number(Integer.MAX_VALUE) : -1;
        String number = line < 0 ? "" : named + " " + line;
        if (words.take("remark")) {
            AccessList of = of(named);
            of.line(line);
            of.remark(words.rest());
            return;
        }
        if (OTHERS.contains(words.peek())) {
            return; // judges no packet on its way through the device
        }
        words.take("extended");
        if (!words.peek().matches("permit|deny")) {
            if (skip) {
                AccessList of = of(named);
                of.skip(of.line(line), words.behind());
            }
            words.next("permit or deny");
            throw words.refused("is neither permit nor deny; write extended permit or deny");
        }
        AccessList of = of(named);
        if (nested && number.equals(last)) {
            if (!expanded) {
                of.removeLast(); // its expansion says the same, with addresses
            }
            expanded = true;
        } else {
            expanded = false;
        }
        boolean shown = nested || words.text().contains("(hitcnt");
        of.addAt(shown && number.equals(last) ? line : of.line(line), words.behind());
        last = number;
    }

    private AccessList of(String named) {
        return lists.computeIfAbsent(named, none -> new AccessList(named, false, false, 0));
    }
}
