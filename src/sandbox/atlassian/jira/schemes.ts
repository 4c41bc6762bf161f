import type { StatusCategory } from "../state.ts";

/**
 * The initial schemes of a Jira Cloud site: issue types, priorities, status categories and the workflow of a new project.
 */

export const ISSUE_TYPES = [
  { id: "10000", name: "Epic", hierarchyLevel: 1, description: "A big piece of work that holds others." },
  { id: "10001", name: "Story", hierarchyLevel: 0, description: "Functionality stated as a user goal." },
  { id: "10002", name: "Task", hierarchyLevel: 0, description: "A small, distinct piece of work." },
  { id: "10003", name: "Bug", hierarchyLevel: 0, description: "A problem or error." },
] as const;

/** Highest first, as in Jira's default scheme. */
export const PRIORITIES = [
  { id: "1", name: "Highest", statusColor: "#d04437" },
  { id: "2", name: "High", statusColor: "#f15C75" },
  { id: "3", name: "Medium", statusColor: "#f79232" },
  { id: "4", name: "Low", statusColor: "#707070" },
  { id: "5", name: "Lowest", statusColor: "#999999" },
] as const;

export const LINK_TYPES = [
  { id: "10000", name: "Blocks", inward: "is blocked by", outward: "blocks" },
  { id: "10001", name: "Cloners", inward: "is cloned by", outward: "clones" },
  { id: "10002", name: "Duplicate", inward: "is duplicated by", outward: "duplicates" },
  { id: "10003", name: "Relates", inward: "relates to", outward: "relates to" },
] as const;

export const CATEGORIES: Record<StatusCategory, { id: number; key: string; colorName: string; name: string }> = {
  new: { id: 2, key: "new", colorName: "blue-gray", name: "To Do" },
  indeterminate: { id: 4, key: "indeterminate", colorName: "yellow", name: "In Progress" },
  done: { id: 3, key: "done", colorName: "green", name: "Done" },
};

export const DEFAULT_WORKFLOW: {
  statuses: { id?: string; name: string; statusCategory: StatusCategory }[];
  transitions: { id?: string; name: string; from?: string[]; to: string }[];
} = {
  statuses: [
    { name: "To Do", statusCategory: "new" },
    { name: "In Progress", statusCategory: "indeterminate" },
    { name: "In Review", statusCategory: "indeterminate" },
    { name: "Done", statusCategory: "done" },
  ],
  transitions: [
    { name: "Stop work", from: ["In Progress", "In Review"], to: "To Do" },
    { name: "Start work", from: ["To Do", "In Review"], to: "In Progress" },
    { name: "Ask for review", from: ["In Progress"], to: "In Review" },
    { name: "Done", from: ["To Do", "In Progress", "In Review"], to: "Done" },
    { name: "Reopen", from: ["Done"], to: "To Do" },
  ],
};
