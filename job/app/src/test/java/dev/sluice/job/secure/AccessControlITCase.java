package dev.sluice.job.secure;

import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;
import static org.apache.kafka.common.resource.PatternType.LITERAL;
import static org.apache.kafka.common.resource.PatternType.PREFIXED;
import static org.apache.kafka.common.resource.ResourceType.GROUP;
import static org.apache.kafka.common.resource.ResourceType.TOPIC;
import static org.apache.kafka.common.resource.ResourceType.TRANSACTIONAL_ID;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.LiveTopics;
import dev.sluice.job.secure.SecuredBroker.Listener;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each role under a broker's authorizer with exactly the rights that {@code docs/operations.md}
 * lists, and without each one of them. The roles come in the order of the corridor: each reads what
 * the one before has written.
 */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AccessControlITCase {
    /** A right, as the documents list them. */
    private record Right(
            AclOperation operation, ResourceType type, PatternType pattern, String name) {
        Right(AclOperation operation, ResourceType type, String name) {
            this(operation, type, LITERAL, name);
        }

        AclBinding of(Role role) {
            return new AclBinding(
                    new ResourcePattern(type, name, pattern),
                    new AccessControlEntry(
                            role.principal(), "*", operation, AclPermissionType.ALLOW));
        }

        /** The words that tell of it where it is missing. */
        String missing(Role role) {
            return "%s may not %s%s %s %s"
                    .formatted(
                            role.principal(),
                            operation.name().charAt(0),
                            operation.name().substring(1).toLowerCase(Locale.ROOT),
                            type.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                            name);
        }
    }

    private enum Role {
        PUBLISHER(
                List.of(List.of("rules", "publish", "--rules", TestData.office("office.ovs"))),
                new Right(READ, TOPIC, "acl-r"),
                new Right(WRITE, TOPIC, "acl-r"),
                new Right(WRITE, TRANSACTIONAL_ID, "sluice-rules-publisher:acl-r")),
        EXPORTER(
                List.of(List.of("export", TestData.office("office.pcapng.gz"))),
                new Right(WRITE, TOPIC, "acl-p"),
                new Right(WRITE, TOPIC, "acl-d")),
        JOB(
                List.of(
                        List.of(
                                "run",
                                "--bounded",
                                "--checkpoint-interval",
                                500,
                                "--verdict-columns",
                                "named")),
                new Right(READ, TOPIC, "acl-p"),
                new Right(READ, TOPIC, "acl-r"),
                new Right(WRITE, TOPIC, "acl-v"),
                new Right(WRITE, TOPIC, "acl-d"),
                new Right(WRITE, TOPIC, "acl-s"),
                new Right(READ, GROUP, "sluice-acl-p"),
                new Right(READ, GROUP, "sluice-acl-r"),
                new Right(WRITE, TRANSACTIONAL_ID, PREFIXED, "sluice-")),
        READER(
                List.of(
                        List.of("verdicts"),
                        List.of("rules", "show"),
                        List.of("rules", "log"),
                        List.of("rules", "hits", "--stats-topic", "acl-s")),
                new Right(READ, TOPIC, "acl-p"),
                new Right(READ, TOPIC, "acl-r"),
                new Right(READ, TOPIC, "acl-v"),
                new Right(READ, TOPIC, "acl-d"),
                new Right(READ, TOPIC, "acl-s"));

        private final List<List<Object>> commands;
        private final List<Right> rights;

        Role(List<List<Object>> commands, Right... rights) {
            this.commands = commands;
            this.rights = List.of(rights);
        }

        String user() {
            return name().toLowerCase(Locale.ROOT);
        }

        String principal() {
            return "User:" + user();
        }
    }

    /** A role that lacks a right. */
    private record Lack(Role role, Right right) {}

    @TempDir private static Path folder;
    private static SecuredBroker broker;
    private static ClientFile files;
    private static Admin root;

    @BeforeAll
    static void start() throws Exception {
        TestCertificates certificates = new TestCertificates(folder.resolve("certificates"));
        certificates.sign("broker", "CN=localhost");
        Properties authorizer = new Properties();
        authorizer.setProperty(
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        authorizer.setProperty("super.users", "User:ANONYMOUS");
        Map<String, String> users =
                Map.of("publisher", "a", "exporter", "b", "job", "c", "reader", "d");
        broker = new SecuredBroker(folder.resolve("broker"), certificates, users, authorizer);
        files = new ClientFile(folder, certificates);
        Topics.of(broker.at(Listener.INTERNAL), "acl").create();
        root = Admin.create(Map.of("bootstrap.servers", broker.at(Listener.INTERNAL)));
        List<AclBinding> all = new ArrayList<>();
        for (Role role : Role.values()) {
            role.rights.forEach(right -> all.add(right.of(role)));
        }
        root.createAcls(all).all().get();
    }

    @AfterAll
    static void stop() {
        root.close();
        broker.close();
    }

    private static Sluice run(Role role, List<Object> command) throws Exception {
        String password = String.valueOf((char) ('a' + role.ordinal()));
        Topics topics = Topics.of(broker.at(Listener.SCRAM), "acl");
        List<Object> line = new ArrayList<>(List.of(topics.line(command.toArray())));
        line.addAll(List.of("--kafka-config", files.scram(role.user(), password)));
        return Sluice.run(line.toArray());
    }

    @ParameterizedTest
    @Order(1)
    @EnumSource
    void aRoleDoesItsWorkWithTheseRights(Role role) throws Exception {
        for (List<Object> command : role.commands) {
            Sluice ran = run(role, command);
            assertEquals(0, ran.status(), ran.err());
        }
    }

    @Tag("long")
    @Test
    @Order(4)
    void aFollowerTriesATopicAgainThatWasRefused() throws Exception {
        AclBinding taken = new Right(READ, TOPIC, "acl-s").of(Role.READER);
        Path config = files.scram(Role.READER.user(), "d");
        LiveTopics topics =
                new LiveTopics(new KafkaClients(broker.at(Listener.SCRAM), config.toString()));
        AtomicInteger messages = new AtomicInteger();
        topics.add("acl-r", "earliest", "", message -> {});
        topics.add("acl-s", "earliest", "", message -> messages.incrementAndGet());
        root.deleteAcls(List.of(taken.toFilter())).all().get();
        root.createAcls(List.of(new Right(AclOperation.DESCRIBE, TOPIC, "acl-s").of(Role.READER)))
                .all()
                .get();
        AtomicBoolean ended = new AtomicBoolean();
        Thread reader = new Thread(() -> topics.run(ended::get));
        reader.start();
        try {
            String refusal = "Topic acl-s may not be read by User:reader.";
            while (!topics.troubles().contains(refusal)) {
                Thread.onSpinWait();
            }
            assertEquals(0, messages.get());
            root.createAcls(List.of(taken)).all().get();
            while (topics.troubles().contains(refusal) || messages.get() == 0) {
                Thread.onSpinWait();
            }
        } finally {
            ended.set(true);
            reader.join();
        }
    }

    private static List<Lack> allLacks() {
        return Stream.of(Role.values())
                .flatMap(role -> role.rights.stream().map(right -> new Lack(role, right)))
                .toList();
    }

    /** One of each kind of right a role. */
    static Collection<Lack> lacks() {
        Map<String, Lack> ofKinds = new LinkedHashMap<>();
        for (Lack lack : allLacks()) {
            ofKinds.putIfAbsent(
                    lack.role() + " " + lack.right().operation() + " " + lack.right().type(), lack);
        }
        return ofKinds.values();
    }

    static List<Lack> otherLacks() {
        List<Lack> others = new ArrayList<>(allLacks());
        others.removeAll(lacks());
        return others;
    }

    @Tag("long")
    @ParameterizedTest
    @Order(3)
    @MethodSource("otherLacks")
    void aRoleThatLacksAnyOtherRightIsToldInOneLine(Lack lack) throws Exception {
        aRoleThatLacksARightIsToldInOneLine(lack);
    }

    @ParameterizedTest
    @Order(2)
    @MethodSource("lacks")
    void aRoleThatLacksARightIsToldInOneLine(Lack lack) throws Exception {
        AclBinding taken = lack.right().of(lack.role());
        root.deleteAcls(List.of(taken.toFilter())).all().get();
        try {
            List<String> refusals = new ArrayList<>();
            for (List<Object> command : lack.role().commands) {
                Sluice ran = run(lack.role(), command);
                if (ran.status() != 0) {
                    assertEquals(1, ran.status(), ran.err());
                    List<String> lines =
                            ran.err()
                                    .lines()
                                    .filter(l -> !l.startsWith("sluice: warning"))
                                    .toList();
                    assertEquals(1, lines.size(), ran.err());
                    refusals.add(lines.get(0));
                }
            }
            assertTrue(
                    !refusals.isEmpty()
                            && refusals.stream()
                                    .allMatch(l -> l.contains(lack.right().missing(lack.role()))),
                    lack.right().missing(lack.role()) + " in " + refusals);
        } finally {
            root.createAcls(List.of(taken)).all().get();
        }
    }
}
