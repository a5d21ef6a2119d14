package dev.sluice.job.cluster;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DatabindException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * State of a started cluster, as {@code cluster.json} in its folder holds it.
 *
 * @param host address on which the cluster listens
 * @param webPort port of the web interface, which also takes jobs
 * @param bootstrap address of its own broker, or of the given one
 * @param taskManagers number of TaskManagers that should run
 * @param slots of each TaskManager
 * @param members processes in the order of their start
 * @param launches how each of them is started, by role
 */
public record ClusterState(
        String host,
        int webPort,
        String bootstrap,
        int taskManagers,
        int slots,
        List<Member> members,
        Map<String, Launch> launches) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Copies the collections; refuses a file that leaves out one, the host or the broker. */
    public ClusterState {
        Objects.requireNonNull(host);
        Objects.requireNonNull(bootstrap);
        members = List.copyOf(members);
        launches = Map.copyOf(launches);
    }

    /**
     * Reads the state from a folder.
     *
     * @return empty if no cluster was started there, or the last one was ended
     * @throws SluiceException if the file cannot be read
     */
    public static Optional<ClusterState> read(ClusterFolder folder) {
        Path file = folder.state();
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            ClusterState state = JSON.readValue(Files.readAllBytes(file), ClusterState.class);
            if (state == null) { // the file says null
                throw new SluiceException(noState(file));
            }
            return Optional.of(state);
        } catch (DatabindException e) {
            throw new SluiceException(noState(file), e);
        } catch (JacksonException e) {
            throw new SluiceException(
                    "%s is broken: %s; end the processes that it names, and delete it"
                            .formatted(file, e.getOriginalMessage()),
                    e);
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("file", file, e), e);
        }
    }

    private static String noState(Path file) {
        return file
                + " is no state of a cluster; name another folder, or move the file away if no cluster runs in this one";
    }

    /** Writes the state into a folder, whole or not at all. */
    void write(ClusterFolder folder) {
        TextFiles.write(folder.state(), JSON.<JsonNode>valueToTree(this).toPrettyString() + "\n");
    }

    /** Deletes the state of a folder, which says that no cluster is up. */
    public static void delete(ClusterFolder folder) {
        try {
            Files.deleteIfExists(folder.state());
        } catch (IOException e) {
            throw new SluiceException(
                    "%s cannot be deleted: %s".formatted(folder.state(), e.getMessage()), e);
        }
    }

    /** Finds the process of a role. */
    public Optional<Member> member(String role) {
        return members.stream().filter(member -> member.role().equals(role)).findFirst();
    }

    /** Returns this cluster with a process added, or in place of the process of the same role. */
    ClusterState with(Member member) {
        List<Member> more = new ArrayList<>(members);
        if (member(member.role()).isPresent()) {
            more.replaceAll(before -> before.role().equals(member.role()) ? member : before);
        } else {
            more.add(member);
        }
        return new ClusterState(host, webPort, bootstrap, taskManagers, slots, more, launches);
    }

    /** Returns this cluster with a process and how it is started. */
    ClusterState with(Member member, Launch launch) {
        Map<String, Launch> more = new HashMap<>(launches);
        more.put(member.role(), launch);
        return new ClusterState(host, webPort, bootstrap, taskManagers, slots, members, more)
                .with(member);
    }

    /**
     * Restarts a process that has ended, with the same memory, cores and ports.
     *
     * <p>The method does not wait: the process may end at once.
     *
     * @param role of a member
     * @throws SluiceException if the process or the state cannot be written; then no process is
     *     left
     */
    public Member startAgain(ClusterFolder folder, String role) {
        Launch launch = launches.get(role);
        if (launch == null) {
            throw new SluiceException("how %s is started is not known".formatted(role));
        }
        Member member = new StartedProcess(folder, role, launch).member();
        try {
            with(member).write(folder);
        } catch (SluiceException e) {
            member.process().ifPresent(ProcessHandle::destroyForcibly);
            throw new SluiceException(
                    "%s was started and stopped again, since no command would know its process: %s"
                            .formatted(role, e.getMessage()),
                    e);
        }
        return member;
    }

    /** Returns the address of the web interface and of REST. */
    public String web() {
        return "http://" + host + ":" + webPort;
    }

    /** Returns the number of slots of all TaskManagers. */
    public int allSlots() {
        return taskManagers * slots;
    }
}
