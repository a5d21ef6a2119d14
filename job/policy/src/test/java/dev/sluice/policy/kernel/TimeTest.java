package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.HostZone;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules of times hold when the kernel's hold. */
class TimeTest {
    private static final int RULES = 400;
    private static final int FIRST_PORT = 1000;
    private static final List<String> DAYS =
            List.of("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun");

    @TempDir Path folder;

    @Test
    void theImporterAnswersAsTheKernel() throws Exception {
        Random random = TestSeed.random(5800);
        Instant now = Instant.now().truncatedTo(ChronoUnit.MINUTES);
        LocalDateTime around = LocalDateTime.ofInstant(now, ZoneOffset.UTC);
        StringBuilder save = new StringBuilder("*filter\n:INPUT ACCEPT [0:0]\n");
        List<ProbePacket> packets = new ArrayList<>();
        for (int i = 0; i < RULES; i++) {
            save.append("-A INPUT -p tcp -m tcp --dport ")
                    .append(FIRST_PORT + i)
                    .append(" -m time")
                    .append(words(around, random))
                    .append(" -j DROP\n");
            packets.add(
                    new ProbePacket(4, ProbeHook.INPUT)
                            .set(ProbeField.DESTINATION_PORT, FIRST_PORT + i));
        }
        Path file = Files.writeString(folder.resolve("time.save"), save + "COMMIT\n");
        List<KernelAnswer> answers;
        Instant before;
        try (KernelNamespace namespace = KernelNamespace.open(Backend.LEGACY, List.of("eth0"))) {
            namespace.load(4, save + "COMMIT\n");
            before = Instant.now();
            answers = namespace.judge(packets);
        }
        compare("#INPUT", ZoneOffset.UTC, file, packets, answers, before);
    }

    /** Rules are loaded and listed in a zone; the kernel's own zone is UTC. */
    @ParameterizedTest
    @CsvSource({"+00:00, UTC0", "+09:00, EAST-9", "-05:00, WEST5"})
    void nftAnswersAsTheKernel(String offset, String zone) throws Exception {
        Random random = TestSeed.random(5801);
        ZoneOffset east = ZoneOffset.of(offset);
        LocalDateTime around =
                LocalDateTime.ofInstant(Instant.now().truncatedTo(ChronoUnit.MINUTES), east);
        StringBuilder text =
                new StringBuilder("table ip t {\nchain c {\ntype filter hook input priority 0\n");
        List<ProbePacket> packets = new ArrayList<>();
        for (int i = 0; i < RULES; i++) {
            boolean days = random.nextInt(4) == 0 && offset.equals("+00:00");
            text.append("tcp dport ").append(FIRST_PORT + i).append(" meta ");
            text.append(days ? day(around, random) : moment(around, random)).append(" drop\n");
            packets.add(
                    new ProbePacket(4, ProbeHook.INPUT)
                            .set(ProbeField.DESTINATION_PORT, FIRST_PORT + i));
        }
        Path file = folder.resolve("time.nft");
        Path json = folder.resolve("time.json");
        List<KernelAnswer> answers;
        Instant before;
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, List.of("eth0"))) {
            NftDump dump = namespace.loadRuleset(text + "}\n}\n", zone).orElseThrow();
            boolean garbled = east.getTotalSeconds() < 0; // hours as nft 1.0.6 prints them there
            Files.writeString(file, garbled ? text + "}\n}\n" : dump.text());
            Files.writeString(json, garbled ? text + "}\n}\n" : dump.json());
            before = Instant.now();
            answers = namespace.judge(packets);
        }
        compare("#input", east, file, packets, answers, before);
        compare("#input", east, json, packets, answers, before);
    }

    private static void compare(
            String hook,
            ZoneOffset zone,
            Path file,
            List<ProbePacket> packets,
            List<KernelAnswer> answers,
            Instant before)
            throws Exception {
        PolicyFile then = read(file, hook, zone, before);
        PolicyFile later = read(file, hook, zone, Instant.now());
        int dropped = 0;
        for (int i = 0; i < packets.size(); i++) {
            int[] header = ProbeHeader.words(packets.get(i));
            Outcome outcome = outcome(then, header);
            if (outcome == Outcome.DEPENDS) { // nanoseconds decide in a second that a rule names
                assertEquals(0, before.getEpochSecond() % 60, before + ": " + packets.get(i));
            } else if (outcome == outcome(later, header)) { // no period ended meanwhile
                assertEquals(
                        answers.get(i).passed() ? Outcome.PERMIT : Outcome.DENY,
                        outcome,
                        before + ": " + packets.get(i));
            }
            dropped += answers.get(i).passed() ? 0 : 1;
        }
        System.out.printf("time: %d rules compared, %d hold%n", RULES, dropped);
        assertTrue(dropped > RULES / 8 && dropped < RULES * 7 / 8, dropped + " rules hold");
    }

    private static String moment(LocalDateTime around, Random random) {
        String negation = random.nextBoolean() ? "!= " : "";
        if (random.nextInt(3) > 0) {
            List<LocalDateTime> ends = new ArrayList<>(List.of(off(around, random)));
            ends.add(off(around, random));
            return switch (random.nextInt(3)) {
                case 0 ->
                        "hour %s \"%s\""
                                .formatted(
                                        List.of("<", "<=", ">", ">=", "==", "!=")
                                                .get(random.nextInt(6)),
                                        clock(ends.get(0)));
                default ->
                        "hour %s\"%s\"-\"%s:59\""
                                .formatted(negation, clock(ends.get(0)), clock(ends.get(1)));
            };
        }
        LocalDateTime first = around.plusHours(random.nextInt(60) - 40);
        LocalDateTime last = first.plusHours(1 + random.nextInt(60));
        return random.nextBoolean()
                ? "time %s\"%s\"-\"%s\"".formatted(negation, date(first), date(last))
                : "time %s \"%s\""
                        .formatted(
                                List.of("<", "<=", ">", ">=").get(random.nextInt(4)), date(first));
    }

    private static String day(LocalDateTime around, Random random) {
        int today = around.getDayOfWeek().getValue() % 7;
        int other = random.nextInt(7);
        return switch (random.nextInt(4)) {
            case 0 -> "day { %d, %d }".formatted(other, (today + random.nextInt(2)) % 7);
            case 1 -> "day != %d-%d".formatted(other / 2, 3 + other / 2);
            case 2 -> "day < " + (1 + other % 6);
            default -> "day %d-%d".formatted(Math.min(today, other), Math.max(today, other));
        };
    }

    private static String date(LocalDateTime time) {
        return time.toString().substring(0, 16).replace('T', ' ');
    }

    private static Outcome outcome(PolicyFile policy, int[] header) {
        return Objects.requireNonNull(policy.flat().judge(header)).outcome();
    }

    private static PolicyFile read(Path file, String hook, ZoneOffset zone, Instant time) {
        Assumptions assumed = new Assumptions(ConnectionState.NEW, "eth0", "").at(time);
        return PolicyFile.read(
                Path.of(file + hook),
                new PolicyOptions(null, assumed, false).in(new HostZone(zone)));
    }

    private static String words(LocalDateTime around, Random random) {
        StringBuilder words = new StringBuilder();
        LocalDateTime start = off(around, random);
        LocalDateTime stop = off(around, random);
        if (random.nextBoolean()) {
            words.append(" --timestart ").append(clock(start)).append(" --timestop ");
            words.append(clock(stop));
            boolean overnight = clock(stop).compareTo(clock(start)) < 0;
            words.append(overnight && random.nextBoolean() ? " --contiguous" : "");
        }
        words.append(random.nextInt(4) == 0 ? " --kerneltz" : "");
        if (random.nextInt(3) == 0) {
            LocalDateTime first = around.plusDays(random.nextInt(5) - 3).plusHours(1);
            words.append(" --datestart ").append(first.toString(), 0, 16);
            words.append(" --datestop ");
            words.append(first.plusDays(random.nextInt(4)).toString(), 0, 10);
        }
        if (random.nextInt(3) == 0) {
            words.append(random.nextBoolean() ? " ! --weekdays " : " --weekdays ");
            int day = around.getDayOfWeek().getValue();
            words.append(random.nextBoolean() ? DAYS.get(random.nextInt(7)) : "" + day);
            words.append(',').append(DAYS.get(random.nextInt(7)));
        }
        if (random.nextInt(3) == 0) {
            words.append(random.nextBoolean() ? " ! --monthdays " : " --monthdays ");
            words.append(1 + random.nextInt(31)).append(',');
            words.append(Math.max(1, around.getDayOfMonth() - random.nextInt(3)));
        }
        return words.toString();
    }

    private static LocalDateTime off(LocalDateTime around, Random random) {
        return around.plusMinutes(60L * (random.nextInt(24) - 12) + 10 + random.nextInt(40));
    }

    private static String clock(LocalDateTime time) {
        return "%02d:%02d".formatted(time.getHour(), time.getMinute());
    }
}
