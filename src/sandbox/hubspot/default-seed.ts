import type { HubspotSeed } from "./seed.ts";

const DANA = "dana@example.com";
const SAM = "sam@example.com";

/** The built-in world: who is interested in kay, and their stage. */
export const DEFAULT_SEED: HubspotSeed = {
  owners: [
    { email: DANA, firstName: "Dana", lastName: "Demo" },
    { email: SAM, firstName: "Sam", lastName: "Sample" },
  ],
  contacts: [
    {
      properties: {
        email: "mara.lind@northwind.example.com",
        firstname: "Mara",
        lastname: "Lind",
        phone: "+49 30 555 0101",
        company: "Northwind Traders",
        jobtitle: "Head of Platform",
        lifecyclestage: "opportunity",
        hubspot_owner_id: DANA,
      },
      createdAt: "-60d",
      updatedAt: "-2d",
    },
    {
      properties: {
        email: "jonas@northwind.example.com",
        firstname: "Jonas",
        lastname: "Weber",
        company: "Northwind Traders",
        jobtitle: "Security engineer",
        lifecyclestage: "lead",
        hubspot_owner_id: DANA,
      },
      createdAt: "-20d",
      updatedAt: "-9d",
    },
    {
      properties: {
        email: "priya.nair@contoso.example.com",
        firstname: "Priya",
        lastname: "Nair",
        phone: "+44 20 7946 0102",
        company: "Contoso",
        jobtitle: "Engineering manager",
        lifecyclestage: "customer",
        hubspot_owner_id: SAM,
      },
      createdAt: "-200d",
      updatedAt: "-5d",
    },
    {
      properties: {
        email: "leo@fabrikam.example.com",
        firstname: "Leo",
        lastname: "Costa",
        company: "Fabrikam",
        lifecyclestage: "lead",
        hubspot_owner_id: SAM,
      },
      createdAt: "-6d",
    },
  ],
  deals: [
    {
      properties: {
        dealname: "Northwind: kay for 40 developers",
        amount: "12000",
        dealstage: "Contract Sent",
        closedate: "+2w",
        hubspot_owner_id: DANA,
      },
      contacts: ["Mara Lind", "Jonas Weber"],
      createdAt: "-45d",
      updatedAt: "-2d",
    },
    {
      properties: {
        dealname: "Contoso renewal",
        amount: "8400",
        dealstage: "Presentation Scheduled",
        closedate: "+5w",
        hubspot_owner_id: SAM,
      },
      contacts: ["Priya Nair"],
      createdAt: "-25d",
      updatedAt: "-5d",
    },
    {
      properties: {
        dealname: "Fabrikam pilot",
        amount: "1500",
        dealstage: "Appointment Scheduled",
        closedate: "+8w",
        hubspot_owner_id: SAM,
      },
      contacts: ["Leo Costa"],
      createdAt: "-6d",
    },
    {
      properties: {
        dealname: "Contoso: kay for the first team",
        amount: "4200",
        dealstage: "Closed Won",
        closedate: "-180d",
        hubspot_owner_id: SAM,
      },
      contacts: ["Priya Nair"],
      createdAt: "-200d",
      updatedAt: "-180d",
    },
    {
      properties: {
        dealname: "Tailspin",
        amount: "9000",
        dealstage: "Closed Lost",
        closedate: "-40d",
        hubspot_owner_id: DANA,
      },
      createdAt: "-120d",
      updatedAt: "-40d",
    },
  ],
  notes: [
    {
      properties: {
        hs_note_body: "<p>Legal reads the contract until Friday. Security wants to see where tokens are kept.</p>",
        hs_timestamp: "-2d",
        hubspot_owner_id: DANA,
      },
      contacts: ["Mara Lind"],
      deals: ["Northwind: kay for 40 developers"],
      createdAt: "-2d",
    },
  ],
};
